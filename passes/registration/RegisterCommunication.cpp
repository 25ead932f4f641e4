// Registers the communication stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "lib/program/PassesByName.h"
#include "passes/communication/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

using namespace tutti;
using namespace tutti::communication;

static void addPasses(mlir::MLIRContext *, train::TrainDialect *train) {
  program::PassesByName::of(*train).add(
      {createCollectiveCompressPass, createCollectiveFusePass, createCollectiveHierarchyPass,
       createCollectiveOverlapPass, createCollectiveSimplifyPass, createCollectiveVerifyOrderPass});
}

void tutti::registerCommunication(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::tensor::TensorDialect,
                  collective::CollectiveDialect, train::TrainDialect>();
  registry.addExtension(addPasses);
}
