// Cross entropy and its gradient as loops. A label picks a class by comparing it with the class's
// index, which vectorises; that it is a class is checked once, before the loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

using Scalars = SmallVector<Value>;

namespace {

/// The operands that the loss and its gradient have in common, and loops over [batch, classes,
/// d...].
struct CrossEntropy {
  CrossEntropy(Value logProb, Value labels, Value weights, std::optional<int64_t> ignored,
               StringRef reduction)
      : logProb(logProb), labels(labels), weights(weights), ignored(ignored),
        isMean(reduction == "mean"), isNone(reduction == "none"), type(tensorType(logProb)),
        perSample(dimensionsWithout(type.getRank(), {1})) {}

  Type element() const { return type.getElementType(); }
  bool isWeighted() const { return weights || ignored; }

  /// Where loops read: log probabilities, labels, and weights if there are any.
  SmallVector<Value> inputs() const {
    SmallVector<Value> values{logProb, labels};
    if (weights)
      values.push_back(weights);
    return values;
  }
  SmallVector<AffineMap> maps() const {
    MLIRContext *context = type.getContext();
    SmallVector<AffineMap> result{AffineMap::getMultiDimIdentityMap(type.getRank(), context),
                                  sampleMap()};
    if (weights)
      result.push_back(selectDimensions(context, type.getRank(), {1}));
    return result;
  }
  AffineMap sampleMap() const {
    return selectDimensions(type.getContext(), type.getRank(), perSample);
  }

  /// Whether the loop's class is the label, and the label counts.
  Value isLabel(const ScalarMath &s, Value label) const {
    Value index = arith::IndexCastOp::create(s.builder, label.getType(),
                                             linalg::IndexOp::create(s.builder, 1));
    Value picked = arith::CmpIOp::create(s.builder, arith::CmpIPredicate::eq, index, label);
    if (!ignored)
      return picked;
    Value ignoredLabel = createScalar(s.builder, s.builder.getLoc(), label.getType(), *ignored);
    Value counts = arith::CmpIOp::create(s.builder, arith::CmpIPredicate::ne, label, ignoredLabel);
    return arith::AndIOp::create(s.builder, picked, counts);
  }

  /// The weight of the loop's class, `in` being the scalars of inputs().
  Value classWeight(const ScalarMath &s, ValueRange in) const {
    return weights ? in[2] : s.constant(1);
  }

  /// Sums `term` over the classes, and over the samples unless `kept` keeps them.
  Value sum(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> kept,
            function_ref<Value(const ScalarMath &, ValueRange)> term) const {
    return createReduction(builder, type.getShape(), kept, inputs(), maps(), element(), 0.0,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             ScalarMath s(b, element());
                             return {s.add(in.back(), term(s, in))};
                           })
        .front();
  }

  /// The weights of the labels, of each sample or their sum.
  Value sumWeights(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> kept) const {
    return sum(builder, kept, [&](const ScalarMath &s, ValueRange in) {
      return s.select(isLabel(s, in[1]), classWeight(s, in), s.constant(0));
    });
  }

  /// What a mean divides by: the sum of the labels' weights, a constant where all are 1.
  Value divisor(ImplicitLocOpBuilder &builder) const {
    if (isWeighted())
      return sumWeights(builder, {});
    double samples = double(type.getNumElements()) / type.getDimSize(1);
    return createFilled(builder, RankedTensorType::get({}, element()), samples);
  }

  Value logProb, labels, weights;
  std::optional<int64_t> ignored;
  bool isMean, isNone;
  RankedTensorType type;
  SmallVector<int64_t> perSample;
};

Value createQuotient(ImplicitLocOpBuilder &builder, Value a, Value b) {
  RankedTensorType type = tensorType(a);
  return createElementwise(builder, type, {a, b},
                           [&](ImplicitLocOpBuilder &nested, ValueRange in) -> Scalars {
                             return {ScalarMath(nested, type.getElementType()).div(in[0], in[1])};
                           });
}

/// `labels` as they are, once they are known to be classes.
Value createCheckedLabels(ImplicitLocOpBuilder &builder, SoftmaxCrossEntropyLossOp op) {
  RankedTensorType type = tensorType(op.getLabels());
  IntegerAttr ignored =
      op.getIgnoreIndex() ? builder.getI64IntegerAttr(*op.getIgnoreIndex()) : IntegerAttr();
  int64_t classes = tensorType(op.getScores()).getDimSize(1);
  return tutti::kernel::createKernel<tutti::kernel::CheckLabelsOp>(
             builder, builder.getLoc(), op.getLabels(), createEmpty(builder, type), classes,
             ignored)
      .getResult(0);
}

struct LowerLoss : OpRewritePattern<SoftmaxCrossEntropyLossOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxCrossEntropyLossOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value logProb = createLogSoftmax(builder, op.getScores(), 1);
    Value labels = createCheckedLabels(builder, op);
    CrossEntropy loss(logProb, labels, op.getWeights(), op.getIgnoreIndex(), op.getReduction());
    auto term = [&](const ScalarMath &s, ValueRange in) {
      Value cost = s.sub(s.constant(0), s.mul(loss.classWeight(s, in), in[0]));
      return s.select(loss.isLabel(s, in[1]), cost, s.constant(0));
    };
    Value output = loss.sum(
        builder, loss.isNone ? ArrayRef<int64_t>(loss.perSample) : ArrayRef<int64_t>(), term);
    if (loss.isMean)
      output = createQuotient(builder, output, loss.divisor(builder));
    rewriter.replaceOp(op, {output, logProb});
    return success();
  }
};

struct LowerLossGrad : OpRewritePattern<SoftmaxCrossEntropyLossGradOp> {
  using OpRewritePattern::OpRewritePattern;

  /// dY, times the label's weight, over the divisor: one number a sample, or one for all. A label
  /// that has no weight has no gradient, even if no label has and the divisor is 0.
  static Value createScale(ImplicitLocOpBuilder &builder, const CrossEntropy &loss,
                           Value gradient) {
    if (loss.isMean)
      gradient = createQuotient(builder, gradient, loss.divisor(builder));
    if (!loss.isWeighted())
      return gradient;
    Value weights = loss.sumWeights(builder, loss.perSample);
    return createElementwise(builder, tensorType(weights), {gradient, weights},
                             [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                               ScalarMath s(b, loss.element());
                               Value zero = s.constant(0);
                               return {s.select(s.equal(in[1], zero), zero, s.mul(in[0], in[1]))};
                             });
  }

  LogicalResult matchAndRewrite(SoftmaxCrossEntropyLossGradOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CrossEntropy loss(op.getLogProb(), op.getLabel(), op.getWeights(), op.getIgnoreIndex(),
                      op.getReduction());
    Value scale = createScale(builder, loss, op.getDY());
    MLIRContext *context = op.getContext();
    bool isScalar = tensorType(scale).getRank() == 0;
    AffineMap scaleMap =
        isScalar ? selectDimensions(context, loss.type.getRank(), {}) : loss.sampleMap();
    AffineMap full = AffineMap::getMultiDimIdentityMap(loss.type.getRank(), context);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
      ScalarMath s(b, loss.element());
      Value probability = s.exp(in[0]);
      Value error =
          s.select(loss.isLabel(s, in[1]), s.sub(probability, s.constant(1)), probability);
      return {s.mul(in[2], error)};
    };
    rewriter.replaceOp(op, createMapped(builder, loss.type, {op.getLogProb(), op.getLabel(), scale},
                                        {full, loss.sampleMap(), scaleMap}, body));
    return success();
  }
};

} // namespace

void tutti::conversion::populateLossPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerLoss, LowerLossGrad>(patterns.getContext());
}
