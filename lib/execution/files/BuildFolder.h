// A folder for the files of one compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_BUILDFOLDER_H
#define TUTTI_LIB_EXECUTION_FILES_BUILDFOLDER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tutti::execution {

/// A new folder that nobody else may enter, in $TMPDIR, /tmp or /dev/shm: the first where one can
/// be made. Removed with its owner; those of killed processes are removed by the next one. Its name
/// tells whose it is: locks may be known to one machine only.
class BuildFolder {
public:
  static llvm::Expected<BuildFolder> create();
  BuildFolder(BuildFolder &&other) noexcept;
  ~BuildFolder();

  std::string path(llvm::StringRef name) const { return folder + "/" + name.str(); }

private:
  explicit BuildFolder(std::string folder) : folder(std::move(folder)) {}
  std::string folder; ///< empty: another one owns it now
};

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_BUILDFOLDER_H
