// distribute-accumulate-gradients: large batches in little memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/gradients/GradientRoles.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/accumulation/Accumulation.h"
#include "passes/distribution/samples/LayoutChanges.h"

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
    if (failed(checkSamplesApart(program.step)))
      return failure();
    separateTotals(program.step.getBody().front());
    divideShares(program.step);
    FailureOr<ServedRows> served = ServedRows::separate(program.step, microBatches);
    if (failed(served))
      return failure();
    Accumulation::separateConstants(program.step, *served);
    FailureOr<Accumulation> accumulation = Accumulation::find(
        program, getAnalysis<UniformityAnalysis>(), *served, reduction == GradientReduction::Mean);
    if (failed(accumulation))
      return failure();
    explain(program, *accumulation);
    for (const ServedRows::PullInLoop &pull : served->getPullsInLoop())
      leaveInLoop(program, pull);
    if (reduction == GradientReduction::Sum)
      program.module->setAttr(train::kSumsGradients, UnitAttr::get(&getContext()));
    MicroBatchLoop(program.step, accumulation->work, microBatches).build(accumulation->carried);
    return success();
  }

  /// A loss that couples samples needs those of all micro-batches at once.
  static LogicalResult checkSamplesApart(func::FuncOp step) {
    WalkResult found = step.walk([](Operation *op) {
      if (!movesSamples(op))
        return WalkResult::advance();
      mlir::emitError(op->getLoc())
          << "couples samples of different micro-batches, of which only one is in memory at a "
             "time: leave accumulate away, or divide the batch among more ranks";
      return WalkResult::interrupt();
    });
    return failure(found.wasInterrupted());
  }

  /// Totals are of the whole batch; a micro-batch's share of them is smaller than a rank's, and
  /// what it adds counts for more as a mean.
  void divideShares(func::FuncOp step) {
    bool areMeans = reduction == GradientReduction::Mean;
    llvm::DenseSet<Operation *> totals = findTotals(step.getBody().front());
    for (Operation &op : llvm::make_early_inc_range(step.getBody().front())) {
      if (totals.contains(&op))
        continue;
      bool isMetric = llvm::any_of(
          op.getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::ReturnLike>(); });
      if (isa<train::BatchShareOp>(op) && areMeans)
        scaleBy(&op, 1.0 / double(microBatches));
      else if (isa<train::BatchSumOp>(op) && (areMeans || isMetric))
        scaleBy(&op, double(microBatches));
      else if (isa<train::BatchSumOp>(op)) // gradients are added up
        op.replaceAllUsesWith(op.getOperands());
    }
  }

  static void scaleBy(Operation *op, double number) {
    auto builder = OpBuilder::atBlockBegin(op->getBlock()); // before the loop, which moves `op`
    Value result = op->getResult(0);
    Type type = getElementTypeOrSelf(result);
    auto part =
        DenseElementsAttr::get(RankedTensorType::get({}, type), builder.getFloatAttr(type, number));
    Value factor = arith::ConstantOp::create(builder, op->getLoc(), part);
    builder.setInsertionPointAfter(op);
    auto scaled = train::ScaleOp::create(builder, op->getLoc(), result.getType(), result, factor);
    result.replaceAllUsesExcept(scaled, scaled);
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

  /// That deviates from one device, by design.
  static void warnOfStatistics(const Accumulation &accumulation) {
    SmallVector<BatchStatisticsOpInterface> found;
    bool movesRunning = false;
    for (Operation *op : accumulation.work.ops)
      op->walk([&](BatchStatisticsOpInterface statistics) {
        if (!statistics.takesMeansOfGradients())
          found.push_back(statistics);
        movesRunning |= !statistics.getRunningStatistics().empty();
      });
    if (found.empty())
      return;
    mlir::emitWarning(found.front().getLoc())
        << "with accumulate, " << counted(found.size(), "node") << " such as '"
        << found.front()->getName()
        << "' take statistics of each micro-batch, not of the whole batch"
        << (movesRunning ? ", and move running statistics once for each" : "")
        << ": the numbers are not those of one device without accumulate";
  }

  void explain(Program program, const Accumulation &accumulation) {
    auto isOfBatch = [&](Value gradient) { return accumulation.accumulates(gradient); };
    for (Value gradient : accumulation.gradients)
      if (!isOfBatch(gradient))
        remark::missed(gradient.getLoc(), remarkBy(getArgument(), program.step))
            << "gradient does not depend on the batch and is not accumulated";
    warnOfStatistics(accumulation);
    size_t accumulated = llvm::count_if(accumulation.gradients, isOfBatch);
    accumulatedGradients += accumulated;
    remark::passed(program.step.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv("{0} gradients are accumulated over {1} micro-batches", accumulated,
                         microBatches.getValue())
               .str();
  }
};
} // namespace
