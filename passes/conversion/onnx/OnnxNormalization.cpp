// Batch normalization, its gradient and its statistics as loops. Dimension 1 is the channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

using Scalars = SmallVector<Value>;
using Term = function_ref<Value(const ScalarMath &, ValueRange)>;

namespace {

/// Loops over a tensor [batch, channels, ...] that also read vectors [channels].
class Channels {
public:
  Channels(ImplicitLocOpBuilder &builder, Value like) : builder(builder), type(tensorType(like)) {}

  /// How many elements each channel has.
  double count() const { return double(type.getNumElements()) / type.getDimSize(1); }

  /// A tensor of the full shape, of `term` of the operands: full tensors or vectors.
  Value map(ValueRange operands, Term term) const {
    return createMapped(builder, type, operands, mapsOf(operands),
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                          return {term(ScalarMath(b, element()), in)};
                        });
  }

  /// A vector: the sum of `term` over each channel.
  Value sum(ValueRange operands, Term term) const {
    return createReduction(builder, type.getShape(), {1}, operands, mapsOf(operands), element(),
                           0.0,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                             ScalarMath s(b, element());
                             return {s.add(in.back(), term(s, in))};
                           })
        .front();
  }

  /// A vector: `term` of vectors.
  Value mapVectors(ValueRange vectors, Term term) const {
    return createElementwise(builder, tensorType(vectors.front()), vectors,
                             [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                               return {term(ScalarMath(b, element()), in)};
                             });
  }

  Value divideByCount(Value vector) const {
    return mapVectors(vector, [&](const ScalarMath &s, ValueRange in) {
      return s.mul(in[0], s.constant(1 / count()));
    });
  }

  Value mean(Value x) const {
    return divideByCount(sum(x, [](const ScalarMath &s, ValueRange in) { return in[0]; }));
  }

  Value variance(Value x, Value mean) const {
    return divideByCount(sum({x, mean}, [](const ScalarMath &s, ValueRange in) {
      Value distance = s.sub(in[0], in[1]);
      return s.mul(distance, distance);
    }));
  }

  Value inverseDeviation(Value variance, APFloat epsilon) const {
    return mapVectors(variance, [&](const ScalarMath &s, ValueRange in) {
      Value shifted = s.add(in[0], s.constant(epsilon.convertToDouble()));
      return s.div(s.constant(1), s.sqrt(shifted));
    });
  }

  /// old * momentum + batch * (1 - momentum)
  Value running(Value old, Value batch, APFloat momentum) const {
    double keep = momentum.convertToDouble();
    return mapVectors({old, batch}, [&](const ScalarMath &s, ValueRange in) {
      return s.add(s.mul(in[0], s.constant(keep)), s.mul(in[1], s.constant(1 - keep)));
    });
  }

  /// (x - mean) * inverse * scale + shift
  Value normalize(Value x, Value mean, Value inverse, Value scale, Value shift) const {
    return map({x, mean, inverse, scale, shift}, [](const ScalarMath &s, ValueRange in) {
      Value normalized = s.mul(s.sub(in[0], in[1]), in[2]);
      return s.add(s.mul(normalized, in[3]), in[4]);
    });
  }

private:
  Type element() const { return type.getElementType(); }
  SmallVector<AffineMap> mapsOf(ValueRange operands) const {
    MLIRContext *context = builder.getContext();
    return llvm::map_to_vector(operands, [&](Value operand) {
      bool isVector = tensorType(operand).getRank() == 1;
      return isVector ? selectDimensions(context, type.getRank(), {1})
                      : AffineMap::getMultiDimIdentityMap(type.getRank(), context);
    });
  }

  ImplicitLocOpBuilder &builder;
  RankedTensorType type;
};

struct LowerInternal : OpRewritePattern<BatchNormInternalOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormInternalOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Channels channels(builder, op.getX());
    Value mean = op.getBatchMean() ? op.getBatchMean() : channels.mean(op.getX());
    Value variance = op.getBatchVar() ? op.getBatchVar() : channels.variance(op.getX(), mean);
    Value inverse = channels.inverseDeviation(variance, op.getEpsilon());
    rewriter.replaceOp(op, {channels.normalize(op.getX(), mean, inverse, op.getScale(), op.getB()),
                            channels.running(op.getInputMean(), mean, op.getMomentum()),
                            channels.running(op.getInputVar(), variance, op.getMomentum()), mean,
                            inverse});
    return success();
  }
};

struct LowerPublic : OpRewritePattern<BatchNormalizationOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormalizationOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Channels channels(builder, op.getX());
    bool training = op.getTrainingMode() != 0;
    Value mean = op.getInputMean(), variance = op.getInputVar();
    Value runningMean = mean, runningVariance = variance;
    if (training) {
      mean = channels.mean(op.getX());
      variance = channels.variance(op.getX(), mean);
      runningMean = channels.running(op.getInputMean(), mean, op.getMomentum());
      runningVariance = channels.running(op.getInputVar(), variance, op.getMomentum());
    }
    Value inverse = channels.inverseDeviation(variance, op.getEpsilon());
    rewriter.replaceOp(op, {channels.normalize(op.getX(), mean, inverse, op.getScale(), op.getB()),
                            runningMean, runningVariance});
    return success();
  }
};

/// dY * (X - mean) * inverse of the operands (dY, X, mean, inverse).
Value normalizedProduct(const ScalarMath &s, ValueRange in) {
  return s.mul(in[0], s.mul(s.sub(in[1], in[2]), in[3]));
}

struct LowerGrad : OpRewritePattern<BatchNormalizationGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormalizationGradOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Channels channels(builder, op.getX());
    Value dy = op.getDY(), x = op.getX(), mean = op.getSavedMean(), inverse = op.getSavedInvStd();
    Value dScale = channels.sum({dy, x, mean, inverse}, normalizedProduct);
    Value dB = channels.sum(dy, [](const ScalarMath &s, ValueRange in) { return in[0]; });
    Value meanDy = op.getMeanDy() ? op.getMeanDy() : channels.divideByCount(dB);
    Value covariance = op.getMeanDyXhat() ? op.getMeanDyXhat() : channels.divideByCount(dScale);
    Value factor =
        channels.mapVectors({op.getScale(), inverse},
                            [](const ScalarMath &s, ValueRange in) { return s.mul(in[0], in[1]); });
    Value dX = channels.map({dy, x, mean, inverse, meanDy, covariance, factor},
                            [](const ScalarMath &s, ValueRange in) {
                              Value normalized = s.mul(s.sub(in[1], in[2]), in[3]);
                              Value rest = s.sub(s.sub(in[0], in[4]), s.mul(normalized, in[5]));
                              return s.mul(in[6], rest);
                            });
    rewriter.replaceOp(op, {dX, dScale, dB});
    return success();
  }
};

struct LowerMean : OpRewritePattern<BatchMeanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchMeanOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, Channels(builder, op.getX()).mean(op.getX()));
    return success();
  }
};

struct LowerVariance : OpRewritePattern<BatchVarianceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchVarianceOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, Channels(builder, op.getX()).variance(op.getX(), op.getMean()));
    return success();
  }
};

struct LowerCovariance : OpRewritePattern<BatchCovarianceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchCovarianceOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Channels channels(builder, op.getX());
    Value sum =
        channels.sum({op.getDY(), op.getX(), op.getMean(), op.getInvStd()}, normalizedProduct);
    rewriter.replaceOp(op, channels.divideByCount(sum));
    return success();
  }
};

} // namespace

void tutti::conversion::populateNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerInternal, LowerPublic, LowerGrad, LowerMean, LowerVariance, LowerCovariance>(
      patterns.getContext());
}
