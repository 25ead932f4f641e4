// Registers all stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

void tutti::registerAllStages(mlir::DialectRegistry &registry) {
  registerCommunication(registry);
  registerPlanning(registry);
  registerDistribution(registry);
  registerGradient(registry);
  registerSpecialization(registry);
}
