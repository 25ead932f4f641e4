// The options of passes as keys: what is misspelt gets the answer that --distribute gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_PASSKEYS_H
#define TUTTI_LIB_OPTIONS_PASSKEYS_H

#include "lib/options/KeyText.h"

namespace tutti::options {

/// Complains about the first key in `text` that the registered pass `name` does not have. Succeeds
/// where there is no such pass.
llvm::LogicalResult checkPassKeys(llvm::StringRef name, llvm::StringRef text, Complain complain);

/// The same for each `name{text}` of a textual pipeline.
llvm::LogicalResult checkPipelineKeys(llvm::StringRef pipeline, Complain complain);

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_PASSKEYS_H
