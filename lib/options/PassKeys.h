// The options of passes as keys: what is misspelt gets the answer that --distribute gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_OPTIONS_PASSKEYS_H
#define TUTTI_LIB_OPTIONS_PASSKEYS_H

#include "lib/options/KeyText.h"

#include "llvm/Support/Error.h"

namespace mlir {
class OpPassManager;
class Pass;
} // namespace mlir

namespace tutti::options {

/// Complains about the first key in `text` that `pass` does not have, about one that is given
/// twice, and about a value that it does not take. After that MLIR parses `text` and says nothing,
/// which matters: what it says of values goes to standard error.
llvm::LogicalResult checkOptions(mlir::Pass &pass, llvm::StringRef text, Complain complain);

/// The same for the registered pass `name`. Succeeds where there is no such pass.
llvm::LogicalResult checkPassKeys(llvm::StringRef name, llvm::StringRef text, Complain complain);

/// The same for each `name{text}` of a textual pipeline.
llvm::LogicalResult checkPipelineKeys(llvm::StringRef pipeline, Complain complain);

/// The pass manager that `pipeline`, "builtin.module(name{text},...)", stands for. What is wrong
/// goes to `complain`, and nowhere else.
llvm::FailureOr<mlir::OpPassManager> parsePipeline(llvm::StringRef pipeline, Complain complain);

/// An error unless passes on modules can be added to `passes`: MLIR would end the process. `name`
/// is what is to be added: "--distribute".
llvm::Error checkTakesModules(const mlir::OpPassManager &passes, llvm::StringRef name);

} // namespace tutti::options

#endif // TUTTI_LIB_OPTIONS_PASSKEYS_H
