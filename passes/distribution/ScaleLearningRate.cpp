// distribute-scale-learning-rate: larger batches, larger steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/Exchange.h"
#include "lib/program/Program.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/distribution/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SCALELEARNINGRATEPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// The number of ranks that `value` is computed from, if it is.
static RankQueryOpInterface findSize(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  (void)getBackwardSlice(value, &slice, options);
  for (Operation *op : slice)
    if (auto query = dyn_cast<RankQueryOpInterface>(op);
        query && query.getQuestion().kind == RankQuestion::Size)
      return query;
  return {};
}

namespace {
struct ScaleLearningRate : distribution::impl::ScaleLearningRatePassBase<ScaleLearningRate> {
  using ScaleLearningRatePassBase::ScaleLearningRatePassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    if (mode == RateScaling::None)
      return markAllAnalysesPreserved();
    if (failed(verifyFactory(program->module, {{}, {RankQuestion::Size}})) ||
        failed(scaleAll(*program)))
      signalPassFailure();
  }

private:
  LogicalResult scaleAll(Program program) {
    llvm::MapVector<Value, SmallVector<Operation *>> rates;
    program.step.walk([&](OptimizerOpInterface optimizer) {
      rates[optimizer.getLearningRate()].push_back(optimizer);
    });
    if (rates.empty())
      return mlir::emitError(program.step.getLoc())
             << "has no optimizer whose learning rate could be scaled";
    for (auto &[rate, optimizers] : rates)
      if (failed(scale(program, rate, optimizers)))
        return failure();
    return success();
  }

  LogicalResult scale(Program program, Value rate, ArrayRef<Operation *> optimizers) {
    if (RankQueryOpInterface size = findSize(rate)) {
      InFlightDiagnostic error = mlir::emitError(optimizers.front()->getLoc())
                                 << "its learning rate is scaled by the number of ranks already";
      error.attachNote(size.getLoc()) << "which is taken here";
      return error;
    }
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfterValue(rate);
    Value factor = createFactor(builder, program, rate);
    Value scaled = train::ScaleOp::create(builder, rate.getLoc(), rate.getType(), rate, factor);
    for (Operation *optimizer : optimizers)
      optimizer->replaceUsesOfWith(rate, scaled);
    ++scaledRates;
    remark::passed(rate.getLoc(), remarkBy(getArgument(), program.step))
        << (mode == RateScaling::Linear
                ? "learning rate is multiplied by the number of ranks"
                : "learning rate is multiplied by the square root of the number of ranks");
    return success();
  }

  /// The factor as a scalar tensor of the type of `rate`.
  Value createFactor(OpBuilder &builder, Program program, Value rate) {
    Location loc = rate.getLoc();
    Type type = getElementTypeOrSelf(rate);
    Value factor = createGroupSize(builder, loc, getOrCreateWorld(program.module), type);
    if (mode == RateScaling::Sqrt)
      factor = math::SqrtOp::create(builder, loc, factor);
    return tensor::FromElementsOp::create(builder, loc, rate.getType(), factor);
  }
};
} // namespace
