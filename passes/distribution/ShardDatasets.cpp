// distribute-shard-datasets: each rank gets its part of every global batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/program/Program.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/samples/LayoutChanges.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SHARDDATASETSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct ShardDatasets : distribution::impl::ShardDatasetsPassBase<ShardDatasets> {
  using ShardDatasetsPassBase::ShardDatasetsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(shard(*program)))
      signalPassFailure();
  }

private:
  LogicalResult shard(Program program) {
    auto datasets = llvm::to_vector(program.module.getOps<train::DatasetOp>());
    if (datasets.empty())
      return mlir::emitError(program.step.getLoc())
             << "has no train.dataset to shard: every rank would do the same work; bind its "
                "inputs to a dataset with train.input";
    for (train::DatasetOp dataset : datasets)
      if (failed(shard(program, dataset)))
        return failure();
    return success();
  }

  LogicalResult shard(Program program, train::DatasetOp dataset) {
    auto stops = [](Operation *op) {
      return movesSamples(op) ? WalkResult::interrupt() : WalkResult::advance();
    };
    bool moves = program.step.walk(stops).wasInterrupted();
    if (moves && mode != train::ShardMode::Contiguous)
      remark::analysis(dataset.getLoc(), remarkBy(getArgument(), program.step))
          << "samples of all ranks are joined in the order of the batch: each rank takes one block";
    auto wanted = train::ShardAttr::get(&getContext(), moves ? train::ShardMode::Contiguous : mode,
                                        batchPolicy, getOrCreateWorld(program.module), /*ranks=*/0);
    std::optional<train::ShardAttr> present = dataset.getShard();
    if (present && *present != wanted)
      return mlir::emitError(dataset.getLoc())
             << "@" << dataset.getSymName() << " is sharded already, as " << *present
             << ", which differs from " << wanted;
    if (present) {
      remark::missed(dataset.getLoc(), remarkBy(getArgument(), program.step))
          << "dataset is sharded in this way already";
      return success();
    }
    dataset.setShardAttr(wanted);
    ++shardedDatasets;
    return success();
  }
};
} // namespace
