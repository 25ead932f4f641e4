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

/// Where they lie: beside the program or library that this code is in, or in the lib folder beside
/// a program's bin; where Tutti is installed, in the folder `tutti` of these.
std::vector<std::string> library_folders();

/// `file` of the first of `folders` that has one which can be loaded. The error has the reasons.
Result<LoadedLibrary> load_library(const std::string &file,
                                   const std::vector<std::string> &folders);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_LOADLIBRARY_H
