// distribute-noise-scale: the noise of gradients as a metric of the step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/program/BatchShare.h"
#include "lib/program/ProgramEdit.h"
#include "lib/program/gradients/Gradients.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/RankMean.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_NOISESCALEPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
/// The gradients of a step, in pairs: this rank's, and the mean over the ranks, unscaled.
struct GradientPairs {
  SmallVector<Value> own, mean;
  Value lossScale; ///< by which those of the rank are scaled; null if they are not
};

struct NoiseScale : distribution::impl::NoiseScalePassBase<NoiseScale> {
  using NoiseScalePassBase::NoiseScalePassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    FailureOr<BatchShare> share = findShare(*program);
    if (failed(share))
      return signalPassFailure();
    FailureOr<RankMean> mean = RankMean::find(*program);
    FailureOr<GradientPairs> pairs = findPairs(*program);
    if (failed(mean) || failed(pairs))
      return signalPassFailure();
    addMetrics(*program, *pairs, *mean, *share);
    measuredGradients += pairs->own.size();
  }

private:
  /// How many samples the gradients are of: equally many on each of at least two ranks.
  FailureOr<BatchShare> findShare(Program program) {
    if (getOperation().getOps<GroupOpInterface>().empty() ||
        collective::lookupWorldSize(getOperation()) == 1)
      return mlir::emitError(program.step.getLoc())
             << "noise-scale compares the gradient of one rank with the mean over all, and there "
                "is one rank: train on 2 ranks or more, or without noise-scale";
    std::optional<BatchShare> found;
    for (auto dataset : getOperation().getOps<train::DatasetOp>()) {
      std::optional<train::ShardAttr> shard = dataset.getShard();
      if (!shard)
        continue;
      if (shard->getPolicy() == train::BatchPolicy::Weighted ||
          shard->getPolicy() == train::BatchPolicy::Pad)
        return mlir::emitError(dataset.getLoc())
               << "noise-scale compares gradients of as many samples, each of which counts once, "
                  "and the policy of @"
               << dataset.getSymName() << " is " << stringifyBatchPolicy(shard->getPolicy())
               << ": choose batch-policy=error or drop";
      FailureOr<BatchShare> share = shareOf(dataset, /*isCeil=*/true);
      if (failed(share))
        return failure();
      if (found && found->samplesPerStep != share->samplesPerStep)
        return mlir::emitError(dataset.getLoc())
               << "noise-scale needs one batch, and the data sets of @step have batches of "
               << found->samplesPerStep << " and " << share->samplesPerStep << " samples";
      found = *share;
    }
    if (found)
      return *found;
    return mlir::emitError(program.step.getLoc())
           << "noise-scale needs batches that ranks divide, and no data set is sharded: run "
              "distribute-shard-datasets first";
  }

  /// The reduction of which `gradient` is a result, if that is a mean over all ranks.
  static BucketOpInterface findMean(Value &gradient) {
    while (auto mark = gradient.getDefiningOp<train::MarkGradientOp>())
      gradient = mark.getGradient();
    auto bucket = gradient.getDefiningOp<BucketOpInterface>();
    std::optional<CommunicationForm> form = bucket ? getForm(bucket) : std::nullopt;
    bool isMean = form && form->kind == CommunicationKind::AllReduce &&
                  form->reduction == Reduction::Mean && bucket.getDestinations().empty();
    return isMean ? bucket : BucketOpInterface();
  }

  /// What unscales `gradient`; null if nothing does.
  static train::UnscaleOp findUnscale(Value gradient) {
    for (Operation *user : gradient.getUsers())
      if (auto unscale = dyn_cast<train::UnscaleOp>(user))
        return unscale;
    return {};
  }

  FailureOr<GradientPairs> findPairs(Program program) {
    Gradients gradients = Gradients::findOptimized(program.step);
    if (gradients.empty())
      gradients = Gradients::findMarked(program.step);
    if (gradients.empty())
      return mlir::emitError(program.step.getLoc())
             << "noise-scale finds no gradient: @step holds no optimizer operation, and marks none";
    GradientPairs pairs;
    for (const Gradient &gradient : gradients) {
      Value value = gradient.value;
      BucketOpInterface bucket = findMean(value);
      if (!bucket || bucket->getBlock() != &program.step.getBody().front())
        return mlir::emitError(gradient.value.getLoc())
               << "noise-scale needs gradients that are one mean over the ranks, and this one is "
                  "not; if it is exchanged as rows, choose sparse=dense";
      train::UnscaleOp unscale = findUnscale(value);
      Value scale = unscale ? Value(unscale.getScale()) : Value();
      if (!pairs.own.empty() && scale != pairs.lossScale)
        return mlir::emitError(gradient.value.getLoc())
               << "noise-scale needs gradients of one loss scale, and this one has another";
      pairs.lossScale = scale;
      pairs.own.push_back(bucket.getInputs()[cast<OpResult>(value).getResultNumber()]);
      pairs.mean.push_back(unscale ? unscale.getResult() : value);
    }
    return pairs;
  }

  /// The operation of @step that makes the last of `values`, which all are results.
  static Operation *findLast(ValueRange values) {
    Operation *last = values.front().getDefiningOp();
    for (Value value : values)
      if (last->isBeforeInBlock(value.getDefiningOp()))
        last = value.getDefiningOp();
    return last;
  }

  /// The squared norm of this rank's gradients, as if its loss had not been scaled.
  static Value buildOwn(ImplicitLocOpBuilder &builder, const GradientPairs &pairs) {
    SmallVector<Value> own(pairs.own);
    for (Value &gradient : own)
      if (pairs.lossScale)
        gradient = train::UnscaleOp::create(builder, gradient, pairs.lossScale);
    return train::SumOfSquaresOp::create(builder, own);
  }

  static Value buildNumber(ImplicitLocOpBuilder &builder, double number) {
    auto scalar = RankedTensorType::get({}, builder.getF32Type());
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(scalar, builder.getF32FloatAttr(number)));
  }

  /// With N ranks and B samples: variance = (small - big) B / (N - 1), and the squared norm of the
  /// true gradient is big - (small - big) / (N - 1).
  static void addMetrics(Program program, const GradientPairs &pairs, const RankMean &mean,
                         const BatchShare &share) {
    ImplicitLocOpBuilder builder(program.step.getLoc(), program.step.getContext());
    builder.setInsertionPointAfter(findLast(pairs.mean));
    Value own = buildOwn(builder, pairs);
    Value big = train::SumOfSquaresOp::create(builder, pairs.mean);
    Value small = mean.build(builder, builder.getLoc(), own).front();
    Value difference = arith::SubFOp::create(builder, small, big);
    double others = double(share.ranks) - 1;
    Value variance = arith::MulFOp::create(
        builder, difference, buildNumber(builder, double(share.samplesPerStep) / others));
    Value bias = arith::MulFOp::create(builder, difference, buildNumber(builder, 1 / others));
    Value gradient = arith::SubFOp::create(builder, big, bias);
    Value scale = arith::DivFOp::create(builder, variance, gradient);
    ProgramEdit edit(program);
    edit.addMetric("noise_scale", scale);
    edit.addMetric("noise_scale.variance", variance);
    edit.addMetric("noise_scale.gradient", gradient);
    edit.apply();
  }
};
} // namespace
