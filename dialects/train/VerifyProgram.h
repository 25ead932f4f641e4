// The contract of a training program, for the dialect's verifier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_VERIFYPROGRAM_H
#define TUTTI_TRAIN_VERIFYPROGRAM_H

#include "mlir/IR/BuiltinOps.h"

namespace tutti::train {

/// That the functions of a module that is a training program fit together.
mlir::LogicalResult verifyProgram(mlir::ModuleOp module);

} // namespace tutti::train

#endif
