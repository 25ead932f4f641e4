// The passes that turn a model into an explicit training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PASSES_H
#define TUTTI_PASSES_GRADIENT_PASSES_H

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tutti::gradient {

#define GEN_PASS_DECL
#include "passes/gradient/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/gradient/Passes.h.inc"

/// Makes the operations that passes insert (arith on floats, train.full_like) differentiable, so
/// that a gradient can be differentiated again.
void registerNeutralGradients(mlir::DialectRegistry &registry);

/// Makes lookups and cutting (onnx.Gather, onnx.Split) differentiable: their gradients need the
/// train dialect.
void registerPartsGradients(mlir::DialectRegistry &registry);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_PASSES_H
