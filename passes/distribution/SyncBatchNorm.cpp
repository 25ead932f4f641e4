// distribute-sync-batch-norm: statistics of a batch that several ranks share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/BatchStatistics.h"
#include "lib/analysis/Remarks.h"
#include "lib/analysis/Uniformity.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SYNCBATCHNORMPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

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
            << "statistics are synchronised already";
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

  /// Averages what differs between ranks of the running statistics, where it leaves the step.
  LogicalResult average(Program program, const RankMean &mean) {
    const auto &uniformity = getAnalysis<UniformityAnalysis>();
    Operation *exit = program.step.getBody().front().getTerminator();
    for (BatchStatisticsOpInterface op : collect(program)) {
      SmallVector<Value> statistics;
      for (OpResult result : op.getRunningStatistics())
        if (!uniformity.isUniform(result))
          statistics.push_back(result);
      OpBuilder builder(exit);
      for (auto [local, average] :
           llvm::zip(statistics, mean.build(builder, op.getLoc(), statistics)))
        exit->replaceUsesOfWith(local, average);
      averagedStatistics += statistics.size();
      if (!statistics.empty())
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
