// Registers the gradient stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

#include "passes/gradient/Passes.h"

#include "mlir/IR/DialectRegistry.h"

using namespace tutti;

void tutti::registerGradient(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, onnx::OnnxDialect,
                  train::TrainDialect>();
  gradient::registerNeutralGradients(registry);
  gradient::registerPartsGradients(registry);
}
