// Errors of dist-run: one text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_ERRORS_H
#define TUTTI_TOOLS_DISTRUN_ERRORS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace tutti {

inline llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_ERRORS_H
