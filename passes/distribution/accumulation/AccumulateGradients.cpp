// distribute-accumulate-gradients: large batches in little memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/SumsGradients.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/GradientRoles.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/accumulation/Accumulation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_ACCUMULATEGRADIENTSPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct AccumulateGradients : distribution::impl::AccumulateGradientsPassBase<AccumulateGradients> {
  using AccumulateGradientsPassBase::AccumulateGradientsPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(accumulate(*program)))
      signalPassFailure();
  }

private:
  LogicalResult accumulate(Program program) {
    if (microBatches < 1)
      return mlir::emitError(program.module.getLoc())
             << "micro-batches must be 1 or more, got " << microBatches.getValue();
    if (microBatches == 1) {
      markAllAnalysesPreserved();
      return success();
    }
    if (failed(Accumulation::checkNone(program.step)) || failed(markNamedGradients(program)))
      return failure();
    separateTotals(program.step.getBody().front());
    FailureOr<ServedRows> served = ServedRows::separate(program.step, microBatches);
    if (failed(served))
      return failure();
    FailureOr<Accumulation> accumulation = Accumulation::find(
        program, getAnalysis<UniformityAnalysis>(), *served, reduction == GradientReduction::Mean);
    if (failed(accumulation))
      return failure();
    explain(program, *accumulation);
    for (const ServedRows::PullInLoop &pull : served->getPullsInLoop())
      leaveInLoop(program, pull);
    if (reduction == GradientReduction::Sum)
      program.module->setAttr(train::kSumsGradients, UnitAttr::get(&getContext()));
    else
      divideShares(program.step);
    MicroBatchLoop(program.step, accumulation->work, microBatches).build(accumulation->carried);
    return success();
  }

  /// Totals are of the whole batch; a micro-batch's share of them is smaller than a rank's.
  void divideShares(func::FuncOp step) {
    llvm::DenseSet<Operation *> totals = findTotals(step.getBody().front());
    for (auto share : step.getOps<train::BatchShareOp>()) {
      if (totals.contains(share))
        continue;
      OpBuilder builder(share->getContext());
      builder.setInsertionPointAfter(share);
      Type type = getElementTypeOrSelf(share.getResult());
      auto part = DenseElementsAttr::get(RankedTensorType::get({}, type),
                                         builder.getFloatAttr(type, 1.0 / double(microBatches)));
      Value factor = arith::ConstantOp::create(builder, share.getLoc(), part);
      auto scaled = train::ScaleOp::create(builder, share.getLoc(), share.getType(),
                                           share.getResult(), factor);
      share.getResult().replaceAllUsesExcept(scaled, scaled);
    }
  }

  /// Nobody asks ahead for a part of what a step pulls.
  void leaveInLoop(Program program, const ServedRows::PullInLoop &left) {
    ps::PullRowsOp pull = left.pull;
    auto table = program.module.lookupSymbol<ps::TableOp>(pull.getTable());
    remark::missed(pull.getLoc(), remarkBy(getArgument(), program.step))
        << "rows of \"" << pull.getTable().str() << "\" are pulled for each micro-batch"
        << (table.getPrefetch() ? ", and not asked for ahead" : "") << ": " << left.reason;
    table.setPrefetch(false);
  }

  void explain(Program program, const Accumulation &accumulation) {
    auto isOfBatch = [&](Value gradient) { return accumulation.accumulates(gradient); };
    for (Value gradient : accumulation.gradients)
      if (!isOfBatch(gradient))
        remark::missed(gradient.getLoc(), remarkBy(getArgument(), program.step))
            << "gradient does not depend on the batch and is not accumulated";
    for (Operation *op : accumulation.work.ops)
      op->walk([&](BatchStatisticsOpInterface statistics) {
        remark::analysis(statistics.getLoc(), remarkBy(getArgument(), program.step))
            << "takes statistics of each micro-batch, not of the whole batch"
            << (statistics.getRunningStatistics().empty()
                    ? ""
                    : ", and moves its running statistics once for each");
      });
    size_t accumulated = llvm::count_if(accumulation.gradients, isOfBatch);
    accumulatedGradients += accumulated;
    remark::passed(program.step.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv("{0} gradients are accumulated over {1} micro-batches", accumulated,
                         microBatches.getValue())
               .str();
  }
};
} // namespace
