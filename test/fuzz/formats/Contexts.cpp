// Making contexts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/formats/Contexts.h"

#include "dialects/collective/Collective.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectRegistry.h"

#include <memory>

using namespace mlir;

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect, ub::UBDialect,
                  tutti::collective::CollectiveDialect, tutti::onnx::OnnxDialect,
                  tutti::train::TrainDialect>();
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  return context;
}

MLIRContext *tutti::fuzz::nextContext() {
  constexpr int inputsOfAContext = 500;
  static std::unique_ptr<MLIRContext> context;
  static int inputs = 0;
  if (inputs++ % inputsOfAContext == 0)
    context = makeContext();
  return context.get();
}
