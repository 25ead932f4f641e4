// Opening files that must stay below a folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_OPENBENEATH_H
#define TUTTI_LIB_FRONTEND_MODEL_OPENBENEATH_H

#include "llvm/ADT/StringRef.h"

namespace tutti::frontend {

/// Opens `name`, a relative path, for reading; it stays below the opened folder whatever links it
/// leads through, even if they change meanwhile. Never waits for a pipe. -1 and errno if it
/// cannot be opened: EXDEV or ELOOP where it would leave the folder. The caller closes the result.
int openBeneath(int folder, llvm::StringRef name);

/// The same for kernels that cannot keep a path below a folder (before Linux 5.6): one part of the
/// path after another, following no link at all.
int openEachPart(int folder, llvm::StringRef name);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_OPENBENEATH_H
