// distribute-reduce-totals: what a loss is divided by is counted on all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/program/Exchange.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_REDUCETOTALSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct ReduceTotals : distribution::impl::ReduceTotalsPassBase<ReduceTotals> {
  using ReduceTotalsPassBase::ReduceTotalsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    if (failed(mean) || failed(verifyShares(*program)))
      return signalPassFailure();
    program->step.walk([&](train::BatchTotalOp op) { reduce(*program, op); });
    program->step.walk([&](train::BatchShareOp op) { takeShare(*mean, op); });
  }

private:
  /// Shares are divided by the number of ranks.
  static LogicalResult verifyShares(Program program) {
    if (program.step.getOps<train::BatchShareOp>().empty())
      return success();
    return verifyFactory(program.module, {{}, {RankQuestion::Size}});
  }

  void reduce(Program program, train::BatchTotalOp op) {
    OpBuilder builder(op);
    Value total = createAllReduce(builder, op.getLoc(), op, Reduction::Sum, op.getNumber(),
                                  getOrCreateWorld(program.module))
                      .front();
    op.replaceAllUsesWith(total);
    remark::passed(op.getLoc(), remarkBy(getArgument(), program.step))
        << "what the loss is divided by is added up over all ranks";
    op.erase();
    ++reducedTotals;
  }

  void takeShare(const RankMean &mean, train::BatchShareOp op) {
    OpBuilder builder(op);
    Value number = op.getNumber();
    bool isOfRank = reduction == GradientReduction::Mean;
    op.replaceAllUsesWith(isOfRank ? mean.buildShare(builder, op.getLoc(), number) : number);
    op.erase();
  }
};
} // namespace
