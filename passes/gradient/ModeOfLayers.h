// Layers that work differently in training and in inference: batch normalization and dropout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_MODEOFLAYERS_H
#define TUTTI_PASSES_GRADIENT_MODEOFLAYERS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tutti::gradient {

/// Puts the layers of `function` into training mode, whatever mode they were exported in.
/// `newValues` has one entry per argument, the argument itself to begin with; running statistics
/// that are arguments get their updated values there. A layer that is used twice updates its
/// statistics twice, in order.
void setTrainingMode(mlir::FunctionOpInterface function,
                     llvm::MutableArrayRef<mlir::Value> newValues);

/// Puts the layers of `function` into inference mode.
void setInferenceMode(mlir::FunctionOpInterface function);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_MODEOFLAYERS_H
