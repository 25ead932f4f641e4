// A folder for the files of one compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_BUILDFOLDER_H
#define TUTTI_LIB_EXECUTION_FILES_BUILDFOLDER_H

#include "lib/execution/files/Descriptor.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tutti::execution {

/// A new folder that nobody else may enter, in $TMPDIR, /tmp or /dev/shm: the first where one can
/// be made. Removed with its owner; those of killed processes are removed by the next one.
class BuildFolder {
public:
  static llvm::Expected<BuildFolder> create();
  BuildFolder(BuildFolder &&other) noexcept = default;
  ~BuildFolder();

  std::string path(llvm::StringRef name) const { return folder + "/" + name.str(); }

private:
  BuildFolder(std::string folder, Descriptor lock)
      : folder(std::move(folder)), lock(std::move(lock)) {}
  std::string folder;
  Descriptor lock; ///< on the folder itself, as long as it is in use
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_BUILDFOLDER_H
