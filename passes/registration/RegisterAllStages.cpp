// Registers all stages: in a context, and by the names of their passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/registration/Register.h"

#include "passes/Pipelines.h"
#include "passes/communication/Passes.h"
#include "passes/distribution/Passes.h"
#include "passes/gradient/Passes.h"
#include "passes/gradient/Pipelines.h"
#include "passes/planning/Passes.h"
#include "passes/search/Passes.h"
#include "passes/specialize/Passes.h"

using namespace tutti;

void tutti::registerAllStages(mlir::DialectRegistry &registry) {
  registerCommunication(registry);
  registerPlanning(registry);
  registerDistribution(registry);
  registerGradient(registry);
  registerSpecialization(registry);
}

void tutti::registerPassesOfAllStages() {
  communication::registerTuttiCommunicationPasses();
  distribution::registerDistributionPasses();
  registerDistributePipeline();
  gradient::registerGradientPasses();
  gradient::registerGradientPipelines();
  planning::registerTuttiPlanningPasses();
  search::registerTuttiSearchPasses();
  specialize::registerTuttiSpecializePasses();
}
