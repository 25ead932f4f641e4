// The door for programs in MLIR: text or bytecode that may come from anybody.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_READPROGRAM_H
#define TUTTI_LIB_FRONTEND_READPROGRAM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tutti::frontend {

/// Parses the content of the file `path`, MLIR text or bytecode, and lets it in only if it holds
/// nothing but what training programs need, see verifyProgramVocabulary. Null after errors, which
/// are diagnostics of `context`.
mlir::OwningOpRef<mlir::ModuleOp> readMlirProgram(llvm::StringRef path, llvm::StringRef content,
                                                  mlir::MLIRContext *context);

/// Refuses a text whose brackets stand within so many others that MLIR's parser, which calls itself
/// for each, might not survive it. `path` is where the diagnostic says it is.
llvm::LogicalResult verifyNesting(llvm::StringRef path, llvm::StringRef text,
                                  mlir::MLIRContext *context);

/// Whether brackets in the text stand within more than `limit` others.
bool nestsDeeper(llvm::StringRef text, size_t limit);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_READPROGRAM_H
