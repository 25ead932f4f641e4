// A secret that all processes of one user on one machine share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_FILES_USERTOKEN_H
#define TUTTI_LIB_EXECUTION_FILES_USERTOKEN_H

#include "llvm/Support/Error.h"

#include <string>

namespace tutti::execution {

/// The path of the file `servers.token` in the folder of the user's own files (see
/// defaultCacheDirectory), which is made of random digits, with mode 0600, by the first process
/// that asks. The error says why there is no such folder, or whom the file belongs to. Thread-safe,
/// and safe between processes.
llvm::Expected<std::string> findUserToken();

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_FILES_USERTOKEN_H
