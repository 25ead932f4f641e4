// distribute-sync-batch-norm: statistics of a batch that several ranks share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/BatchStatistics.h"
#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

#include "llvm/ADT/SetVector.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SYNCBATCHNORMPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// Whether @step returns `value`, or what is computed from it, and it differs between ranks.
static bool leavesVarying(Value value, func::FuncOp step, const UniformityAnalysis &uniformity) {
  Operation *exit = step.getBody().front().getTerminator();
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (unsigned next = 0; next < reached.size(); ++next) {
    if (uniformity.isUniform(reached[next]))
      continue;
    for (Operation *user : reached[next].getUsers()) {
      if (user == exit)
        return true;
      reached.insert_range(user->getResults());
      if (user->hasTrait<OpTrait::IsTerminator>())
        reached.insert_range(user->getParentOp()->getResults());
    }
  }
  return false;
}

/// The first operation of the block of `op` that uses one of `values`, or holds one that does.
static Operation *findFirstUser(Operation *op, ArrayRef<Value> values) {
  Operation *first = op->getBlock()->getTerminator();
  for (Value value : values)
    for (Operation *user : value.getUsers())
      if (Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user))
        first = inBlock->isBeforeInBlock(first) ? inBlock : first;
  return first;
}

/// Whatever uses the results `values` of `op` uses their means over ranks.
static void replaceByMeans(Operation *op, ArrayRef<Value> values, const RankMean &mean) {
  SmallVector<SmallVector<OpOperand *>> uses;
  for (Value value : values)
    uses.push_back(llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; }));
  OpBuilder builder(findFirstUser(op, values));
  SmallVector<Value> means = mean.build(builder, op->getLoc(), values);
  for (auto [users, average] : llvm::zip_equal(uses, means))
    for (OpOperand *use : users)
      use->set(average);
}

namespace {
struct SyncBatchNorm : distribution::impl::SyncBatchNormPassBase<SyncBatchNorm> {
  using SyncBatchNormPassBase::SyncBatchNormPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean))
      return signalPassFailure();
    if (enable ? failed(synchronize(*program, *mean)) : failed(average(*program, *mean)))
      return signalPassFailure();
    if (collect(*program).empty())
      markAllAnalysesPreserved();
  }

private:
  LogicalResult synchronize(Program program, const RankMean &mean) {
    for (BatchStatisticsOpInterface op : collect(program)) {
      if (op.isSynchronized()) {
        remark::missed(op.getLoc(), remarkBy(getArgument(), program.step))
            << "statistics are synchronised already, or not needed";
        continue;
      }
      auto meanOverRanks = [&](OpBuilder &at, Location loc, ValueRange localMeans) {
        return op.takesMeansOfGradients() ? mean.buildOfGradients(at, loc, localMeans)
                                          : mean.build(at, loc, localMeans);
      };
      OpBuilder builder(op);
      if (failed(op.synchronizeStatistics(builder, meanOverRanks)))
        return failure();
      ++synchronizedOps;
    }
    return success();
  }

  /// Averages what differs between ranks of the running statistics, before anything is done with
  /// them: a step that does not count selects between the averages and what there was.
  LogicalResult average(Program program, const RankMean &mean) {
    const auto &uniformity = getAnalysis<UniformityAnalysis>();
    for (BatchStatisticsOpInterface op : collect(program)) {
      SmallVector<Value> statistics;
      for (OpResult result : op.getRunningStatistics())
        if (leavesVarying(result, program.step, uniformity))
          statistics.push_back(result);
      if (statistics.empty())
        continue;
      replaceByMeans(op, statistics, mean);
      averagedStatistics += statistics.size();
      remark::passed(op.getLoc(), remarkBy(getArgument(), program.step))
          << "each rank normalizes by its part of the batch; running statistics are averaged "
             "over ranks, which for a variance is not that of the whole batch";
    }
    return success();
  }

  SmallVector<BatchStatisticsOpInterface> collect(Program program) {
    SmallVector<BatchStatisticsOpInterface> ops;
    program.step.walk([&](BatchStatisticsOpInterface op) { ops.push_back(op); });
    return ops;
  }
};
} // namespace
