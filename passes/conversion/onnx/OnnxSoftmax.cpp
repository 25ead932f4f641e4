// Softmax, log-softmax and their gradients as loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include <limits>

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

using Scalars = SmallVector<Value>;

/// One tensor and others without its dimension `axis`.
struct AlongAxis {
  AlongAxis(MLIRContext *context, RankedTensorType type, int64_t axis)
      : type(type), axis(axis < 0 ? axis + type.getRank() : axis),
        kept(dimensionsWithout(type.getRank(), this->axis)),
        full(AffineMap::getMultiDimIdentityMap(type.getRank(), context)),
        reduced(selectDimensions(context, type.getRank(), kept)) {}

  RankedTensorType type;
  int64_t axis;
  SmallVector<int64_t> kept;
  AffineMap full, reduced;
};

static Value createMaximum(ImplicitLocOpBuilder &builder, const AlongAxis &along, Value input) {
  double lowest = -std::numeric_limits<double>::infinity();
  return createReduction(builder, input, along.kept, lowest,
                         [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                           // A select vectorises; NaN still reaches the result through the sum.
                           ScalarMath s(b, along.type.getElementType());
                           return {s.select(s.less(in[1], in[0]), in[0], in[1])};
                         });
}

/// sum(e ^ (input - maximum)) along the axis.
static Value createSumOfExponentials(ImplicitLocOpBuilder &builder, const AlongAxis &along,
                                     Value input, Value maximum) {
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
    ScalarMath s(b, along.type.getElementType());
    return {s.add(in[2], s.exp(s.sub(in[0], in[1])))};
  };
  return createReduction(builder, along.type.getShape(), along.kept, {input, maximum},
                         {along.full, along.reduced}, along.type.getElementType(), 0.0, body)
      .front();
}

Value tutti::conversion::createLogSoftmax(ImplicitLocOpBuilder &builder, Value input,
                                          int64_t axis) {
  AlongAxis along(builder.getContext(), tensorType(input), axis);
  Value maximum = createMaximum(builder, along, input);
  Value sum = createSumOfExponentials(builder, along, input, maximum);
  Type element = along.type.getElementType();
  Value logarithm = createElementwise(builder, tensorType(sum), sum,
                                      [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                        return {ScalarMath(b, element).log(in[0])};
                                      });
  return createMapped(builder, along.type, {input, maximum, logarithm},
                      {along.full, along.reduced, along.reduced},
                      [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                        ScalarMath s(b, element);
                        return {s.sub(s.sub(in[0], in[1]), in[2])};
                      });
}

static Value createSoftmax(ImplicitLocOpBuilder &builder, Value input, int64_t axis) {
  AlongAxis along(builder.getContext(), tensorType(input), axis);
  Value maximum = createMaximum(builder, along, input);
  Value sum = createSumOfExponentials(builder, along, input, maximum);
  return createMapped(builder, along.type, {input, maximum, sum},
                      {along.full, along.reduced, along.reduced},
                      [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                        ScalarMath s(b, along.type.getElementType());
                        return {s.div(s.exp(s.sub(in[0], in[1])), in[2])};
                      });
}

namespace {

struct LowerSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createSoftmax(builder, op.getInput(), op.getAxis()));
    return success();
  }
};

struct LowerLogSoftmax : OpRewritePattern<LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LogSoftmaxOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createLogSoftmax(builder, op.getInput(), op.getAxis()));
    return success();
  }
};

/// Both gradients sum something of (dY, Y) along the axis, then combine it with dY and Y.
template <typename Op>
LogicalResult lowerGradient(Op op, PatternRewriter &rewriter,
                            function_ref<Value(const ScalarMath &, Value, Value)> term,
                            function_ref<Value(const ScalarMath &, Value, Value, Value)> combine) {
  ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
  AlongAxis along(op.getContext(), tensorType(op.getY()), op.getAxis());
  Type element = along.type.getElementType();
  Value sum = createReduction(builder, along.type.getShape(), along.kept, {op.getDY(), op.getY()},
                              {along.full, along.full}, element, 0.0,
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                ScalarMath s(b, element);
                                return {s.add(in[2], term(s, in[0], in[1]))};
                              })
                  .front();
  rewriter.replaceOp(op,
                     createMapped(builder, along.type, {op.getDY(), op.getY(), sum},
                                  {along.full, along.full, along.reduced},
                                  [&](ImplicitLocOpBuilder &b, ValueRange in) -> Scalars {
                                    return {combine(ScalarMath(b, element), in[0], in[1], in[2])};
                                  }));
  return success();
}

struct LowerSoftmaxGrad : OpRewritePattern<SoftmaxGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxGradOp op, PatternRewriter &rewriter) const override {
    return lowerGradient(
        op, rewriter, [](const ScalarMath &s, Value dy, Value y) { return s.mul(dy, y); },
        [](const ScalarMath &s, Value dy, Value y, Value sum) { return s.mul(y, s.sub(dy, sum)); });
  }
};

struct LowerLogSoftmaxGrad : OpRewritePattern<LogSoftmaxGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LogSoftmaxGradOp op, PatternRewriter &rewriter) const override {
    return lowerGradient(
        op, rewriter, [](const ScalarMath &s, Value dy, Value y) { return dy; },
        [](const ScalarMath &s, Value dy, Value y, Value sum) {
          return s.sub(dy, s.mul(s.exp(y), sum));
        });
  }
};

} // namespace

void tutti::conversion::populateSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSoftmax, LowerLogSoftmax, LowerSoftmaxGrad, LowerLogSoftmaxGrad>(
      patterns.getContext());
}
