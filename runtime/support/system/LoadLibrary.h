// Shared objects of ours that programs load when they need them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_LOADLIBRARY_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_LOADLIBRARY_H

#include "runtime/support/Error.h"

#include <vector>

namespace tutti::runtime {

/// Stays loaded: its functions are in use for as long as the process lives.
struct LoadedLibrary {
  void *handle;
  std::string path;

  /// Null if it has none of that name.
  void *find(const char *function) const;
};

/// Where to look for libraries: in the folder of the program or library that holds this code, in
/// the folder `lib` next to that of a program, and in the folder `tutti` of each, which packages
/// have.
std::vector<std::string> library_folders();

/// `file` of the first of `folders` that has one which can be loaded. The error has the reasons.
Result<LoadedLibrary> load_library(const std::string &file,
                                   const std::vector<std::string> &folders);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_LOADLIBRARY_H
