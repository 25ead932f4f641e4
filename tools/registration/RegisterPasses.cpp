// The passes and pipelines that the compiler tools offer as flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "mlir/Transforms/Passes.h"

void tutti::registerAllTuttiPasses() {
  mlir::registerTransformsPasses(); // canonicalize, cse, symbol-dce, inline, ...
}
