// train-place-draws: random operations know where the samples lie that they draw for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/SampleRoles.h"
#include "passes/gradient/Passes.h"

#include "dialects/interfaces/Draws.h"

namespace tutti::gradient {
#define GEN_PASS_DEF_PLACEDRAWSPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

using namespace mlir;
using namespace tutti;

/// Of several ranks each draws for its own samples, or all the same for what all have.
static void place(PlacedDrawsOpInterface op, const Layout &data) {
  if (data.isOwn())
    mlir::emitWarning(op.getLoc())
        << "'" << op->getName()
        << "' draws for values made by operations that have no rule of sharding: its samples are "
           "taken to lie along dimension 0, and if they do not, what is drawn depends on the "
           "number of ranks";
  else if (!data.isShard())
    op.setSamples(ArrayRef<int64_t>());
  else if (data.dimension != 0 || data.outer != 1)
    op.setSamples(ArrayRef<int64_t>{data.dimension, data.outer});
}

namespace {
struct PlaceDraws : gradient::impl::PlaceDrawsPassBase<PlaceDraws> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    bool isLeftAlone = !step || step.isExternal() || !step.getBody().hasOneBlock();
    SmallVector<PlacedDrawsOpInterface> draws;
    if (!isLeftAlone)
      llvm::append_range(draws, step.getOps<PlacedDrawsOpInterface>());
    llvm::erase_if(draws, [](PlacedDrawsOpInterface op) { return op.getSamples().has_value(); });
    if (draws.empty())
      return markAllAnalysesPreserved();
    SampleRoles roles(step);
    DenseMap<OpOperand *, Layout> changed;
    for (const LayoutChange &change : roles.getChanges())
      changed.insert({change.use, change.to});
    for (PlacedDrawsOpInterface op : draws) {
      auto found = changed.find(&op->getOpOperand(0)); // what it draws for
      place(op, found == changed.end() ? roles.get(op.getDrawnFor()) : found->second);
    }
  }
};
} // namespace
