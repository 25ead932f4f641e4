// Sums and means over axes, and their gradients, as loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

/// How many elements of `shape` are reduced to one.
double countReduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  double count = 1;
  for (int64_t axis : axes)
    count *= shape[axis];
  return count;
}

Value scaleBy(ImplicitLocOpBuilder &builder, Value value, double factor) {
  RankedTensorType type = tensorType(value);
  return createElementwise(builder, type, value,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                             ScalarMath s(b, type.getElementType());
                             return {s.mul(in[0], s.constant(factor))};
                           });
}

/// The sum (times `factor`) of `data` over `axes`, in the shape of `result`.
Value createScaledSum(ImplicitLocOpBuilder &builder, Value data, ArrayRef<int64_t> axes,
                      double factor, Value result) {
  Value sum = createSum(builder, data, dimensionsWithout(tensorType(data).getRank(), axes));
  if (factor != 1.0)
    sum = scaleBy(builder, sum, factor);
  return createReshape(builder, sum, tensorType(result).getShape());
}

template <typename Op, bool isMean> struct LowerReduce : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> axes = op.getReducedAxes();
    double count = countReduced(tensorType(op.getData()).getShape(), axes);
    rewriter.replaceOp(
        op, createScaledSum(builder, op.getData(), axes, isMean ? 1 / count : 1, op.getReduced()));
    return success();
  }
};

struct LowerGlobalAveragePool : OpRewritePattern<GlobalAveragePoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GlobalAveragePoolOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getX());
    SmallVector<int64_t> axes = dimensionsWithout(type.getRank(), {0, 1});
    rewriter.replaceOp(op, createScaledSum(builder, op.getX(), axes,
                                           1 / countReduced(type.getShape(), axes), op.getY()));
    return success();
  }
};

template <typename Op, bool isMean> struct LowerReduceGrad : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getDX());
    SmallVector<int64_t> axes = op.getReducedAxes();
    SmallVector<int64_t> kept = dimensionsWithout(type.getRank(), axes), keptShape;
    for (int64_t dimension : kept)
      keptShape.push_back(type.getDimSize(dimension));
    Value gradient = createReshape(builder, op.getDY(), keptShape);
    double factor = isMean ? 1 / countReduced(type.getShape(), axes) : 1;
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      ScalarMath s(b, type.getElementType());
      return {factor == 1 ? in[0] : s.mul(in[0], s.constant(factor))};
    };
    rewriter.replaceOp(op,
                       createMapped(builder, type, gradient,
                                    selectDimensions(op.getContext(), type.getRank(), kept), body));
    return success();
  }
};

} // namespace

void tutti::conversion::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReduce<ReduceSumOp, false>, LowerReduce<ReduceMeanOp, true>,
               LowerReduceGrad<ReduceSumGradOp, false>, LowerReduceGrad<ReduceMeanGradOp, true>,
               LowerGlobalAveragePool>(patterns.getContext());
}
