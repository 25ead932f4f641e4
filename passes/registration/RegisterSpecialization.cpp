// Registers the specialisation stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

#include "dialects/collective/Collective.h"
#include "dialects/ps/Ps.h"
#include "lib/program/PassesByName.h"
#include "passes/specialize/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tutti;

static void addPasses(MLIRContext *, train::TrainDialect *train) {
  program::PassesByName::of(*train).add(
      {createCanonicalizerPass, createCSEPass, createSymbolDCEPass, specialize::createAtBatchPass});
}

void tutti::registerSpecialization(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect, collective::CollectiveDialect,
                  ps::PsDialect, train::TrainDialect>();
  registry.addExtension(addPasses);
}
