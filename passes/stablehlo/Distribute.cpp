// stablehlo-distribute: the batch of a step is divided, and what follows from that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"
#include "lib/layout/SumCut.h"
#include "lib/program/Program.h"
#include "passes/stablehlo/LocalProgram.h"
#include "passes/stablehlo/Passes.h"
#include "passes/stablehlo/Roles.h"

namespace tutti::stablehlo {
#define GEN_PASS_DEF_DISTRIBUTEPASS
#include "passes/stablehlo/Passes.h.inc"
} // namespace tutti::stablehlo

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;
using train::TrainDialect;

namespace {
struct Distribute : stablehlo::impl::DistributePassBase<Distribute> {
  using DistributePassBase::DistributePassBase;

  void runOnOperation() override {
    FailureOr<program::Program> program = program::Program::find(getOperation());
    if (failed(program) || failed(checkRanks(*program)))
      return signalPassFailure();
    if (ranks == 1)
      return;
    Placement placement(ranks);
    placeArguments(program->step, placement);
    Block &body = program->step.getBody().front();
    if (failed(placement.place(body)))
      return signalPassFailure();
    FlatSymbolRefAttr world = divideBatch();
    LocalProgram local(program->step, placement, findCheapestSums(body, placement), world);
    if (failed(local.rewrite()))
      return signalPassFailure();
    declareDeterministic(getOperation());
    sums += local.getSums();
    gathers += local.getGathers();
  }

private:
  LogicalResult checkRanks(program::Program program) {
    if (ranks < 1)
      return mlir::emitError(program.step.getLoc())
             << "stablehlo-distribute needs the number of ranks: ranks=N, at least 1, got "
             << ranks.getValue();
    batch = getOperation().lookupSymbol<train::DatasetOp>(kBatch);
    if (!batch || !batch.getGlobalBatch())
      return mlir::emitError(program.step.getLoc())
             << "has no train.dataset @" << kBatch
             << " with a global batch; run stablehlo-import-roles first";
    if (batch.getShard())
      return mlir::emitError(batch.getLoc()) << "@" << kBatch << " is divided already";
    int64_t samples = *batch.getGlobalBatch();
    if (samples % ranks != 0)
      return mlir::emitError(program.step.getLoc())
             << ranks.getValue() << " ranks do not divide the batch of " << samples
             << " samples; choose a number of ranks that does, or export the step for another "
                "batch";
    return success();
  }

  static void placeArguments(func::FuncOp step, Placement &placement) {
    for (BlockArgument argument : step.getArguments()) {
      auto input =
          step.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(), TrainDialect::kInput);
      if (input && input.getDataset().getValue() == kBatch)
        placement.setLayout(argument, Layout::shard(input.getAxis()));
    }
  }

  /// Rank r of N has block r of the batch.
  FlatSymbolRefAttr divideBatch() {
    FlatSymbolRefAttr world = program::getOrCreateWorld(getOperation());
    auto group = SymbolTable::lookupNearestSymbolFrom<collective::GroupOp>(getOperation(), world);
    group.setSize(ranks);
    batch.setShardAttr(train::ShardAttr::get(&getContext(), train::ShardMode::Contiguous,
                                             train::BatchPolicy::Error, world, ranks));
    return world;
  }

  train::DatasetOp batch;
};
} // namespace
