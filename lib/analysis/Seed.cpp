// Looks at every operation once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/Seed.h"

#include "dialects/interfaces/Draws.h"
#include "dialects/ps/Ps.h"

using namespace mlir;
using namespace tutti;

static bool drawsBySeed(Operation *op) {
  if (auto table = dyn_cast<ps::TableOp>(op))
    return isa<ps::RandomAttr>(table.getInitial());
  return op->hasTrait<Draws>() && !op->hasAttr("seed");
}

bool tutti::usesSeed(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return drawsBySeed(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
