// Registers the planning stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

#include "lib/program/PassesByName.h"
#include "passes/planning/Passes.h"

#include "mlir/IR/DialectRegistry.h"

using namespace tutti;

static void addPasses(mlir::MLIRContext *, train::TrainDialect *train) {
  program::PassesByName::of(*train).add({planning::createCollectiveChoosePass});
}

void tutti::registerPlanning(mlir::DialectRegistry &registry) {
  registerCompile(registry);
  registry.addExtension(addPasses);
}
