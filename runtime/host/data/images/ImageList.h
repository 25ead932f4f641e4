// The pictures of a folder, and their classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_IMAGES_IMAGELIST_H
#define TUTTI_RUNTIME_HOST_DATA_IMAGES_IMAGELIST_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::runtime::data {

/// As torchvision's ImageFolder lists them: classes are the sub-folders in order of their names;
/// those of a class, also in folders of it, follow in the order of folder, then name.
struct ImageList {
  std::string folder;
  std::vector<std::string> classes;
  std::vector<std::string> files; ///< in `folder`
  std::vector<int64_t> labels;    ///< class of each file
  std::string fingerprint;        ///< of names and sizes of files

  /// Fails if a class has no pictures, or a folder pictures that are neither JPEG nor PNG.
  static Result<ImageList> find(const std::string &folder);
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_IMAGES_IMAGELIST_H
