// What a program that comes from outside may hold: the operations of training programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_PROGRAMVOCABULARY_H
#define TUTTI_LIB_FRONTEND_PROGRAMVOCABULARY_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti::frontend {

/// Fails, with an error at the first operation, type, attribute or name that a program must not
/// have before it is lowered: dialects of buffers, pointers and machine code, functions without a
/// body, and names that the runtime or the mathematical library has. To be asked of a program that
/// was parsed, before any pass runs.
mlir::LogicalResult verifyProgramVocabulary(mlir::ModuleOp module);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_PROGRAMVOCABULARY_H
