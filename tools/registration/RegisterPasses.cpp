// The passes and pipelines that the compiler tools offer as flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "passes/Pipelines.h"
#include "passes/bufferization/Passes.h"
#include "passes/codegen/Passes.h"
#include "passes/communication/Passes.h"
#include "passes/compile/Pipelines.h"
#include "passes/conversion/Passes.h"
#include "passes/distribution/Passes.h"
#include "passes/gradient/Passes.h"
#include "passes/gradient/Pipelines.h"
#include "passes/memory/Passes.h"
#include "passes/planning/Passes.h"
#include "passes/specialize/Passes.h"
#include "passes/stablehlo/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void tutti::registerAllTuttiPasses() {
  communication::registerTuttiCommunicationPasses();
  conversion::registerTuttiConversionPasses();
  distribution::registerDistributionPasses();
  registerDistributePipeline();
  mlir::bufferization::registerOneShotBufferizePass();
  gradient::registerGradientPasses();
  gradient::registerGradientPipelines();
  specialize::registerTuttiSpecializePasses();
  bufferization::registerTuttiBufferizationPasses();
  memory::registerTuttiMemoryPasses();
  codegen::registerTuttiCodegenPasses();
  compile::registerCompilePipeline();
  planning::registerTuttiPlanningPasses();
  stablehlo::registerTuttiStablehloPasses();
  mlir::registerTransformsPasses(); // canonicalize, cse, symbol-dce, inline, ...
}
