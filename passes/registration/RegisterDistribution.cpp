// Registers the distribution stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

#include "dialects/collective/Collective.h"
#include "dialects/ps/Ps.h"
#include "lib/program/PassesByName.h"
#include "passes/distribution/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static void addPasses(MLIRContext *, train::TrainDialect *train) {
  using OnOneRank = program::PassesByName::OnOneRank;
  auto &passes = program::PassesByName::of(*train);
#include "passes/distribution/LaunchPasses.inc"
}

void tutti::registerDistribution(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, scf::SCFDialect, tensor::TensorDialect,
                  collective::CollectiveDialect, ps::PsDialect, train::TrainDialect>();
  registry.addExtension(addPasses);
}
