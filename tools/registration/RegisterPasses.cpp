// The passes and pipelines that the compiler tools offer as flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "passes/distribution/Pipelines.h"

#include "mlir/Transforms/Passes.h"

void tutti::registerAllTuttiPasses() {
  distribution::registerDistributionPasses();
  distribution::registerDistributionPipelines();
  mlir::registerTransformsPasses(); // canonicalize, cse, symbol-dce, inline, ...
}
