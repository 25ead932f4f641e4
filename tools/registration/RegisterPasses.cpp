// The passes and pipelines that the compiler tools offer as flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "passes/bufferization/Passes.h"
#include "passes/codegen/Passes.h"
#include "passes/compile/Pipelines.h"
#include "passes/conversion/Passes.h"
#include "passes/memory/Passes.h"
#include "passes/registration/Register.h"
#include "passes/stablehlo/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

void tutti::registerAllTuttiPasses() {
  registerPassesOfAllStages();
  conversion::registerTuttiConversionPasses();
  mlir::bufferization::registerOneShotBufferizePass();
  bufferization::registerTuttiBufferizationPasses();
  memory::registerTuttiMemoryPasses();
  codegen::registerTuttiCodegenPasses();
  compile::registerCompilePipeline();
  stablehlo::registerTuttiStablehloPasses();
  mlir::registerTransformsPasses(); // canonicalize, cse, symbol-dce, inline, ...
}
