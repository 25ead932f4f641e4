// Convolution, pooling and their gradients as kernel calls. Results that nothing uses are not
// computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tutti::conversion;
using tutti::kernel::createKernel;
using tutti::kernel::PoolKind;
using namespace tutti::onnx;

namespace {

constexpr const char *kBeyondPadding = "a mean that counts the padding (count_include_pad) cannot "
                                       "have windows that reach beyond it (ceil_mode)";

/// With ceil_mode the last window reaches beyond the padding; kernels want that as padding too.
bool padForLastWindow(Window &window, Value x, Value y) {
  bool reachesBeyond = false;
  ArrayRef<int64_t> in = tensorType(x).getShape().drop_front(2),
                    out = tensorType(y).getShape().drop_front(2);
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t reach =
        (out[i] - 1) * window.strides[i] + window.getExtent(i) - in[i] - window.padsBegin[i];
    reachesBeyond |= reach > window.padsEnd[i];
    window.padsEnd[i] = std::max(window.padsEnd[i], reach);
  }
  return reachesBeyond;
}

/// A kernel with the window of `op`, which slides over `x` to give `y`. `first` is the attribute
/// before those of the window.
template <typename Kernel, typename Op, typename Attribute>
Value createWindowKernel(ImplicitLocOpBuilder &builder, Op op, ValueRange inputs, Value output,
                         Attribute first, Value x, Value y) {
  Window window = op.getWindow();
  padForLastWindow(window, x, y);
  Value destination = createEmpty(builder, tensorType(output));
  return createKernel<Kernel>(builder, builder.getLoc(), inputs, destination, first, window.kernel,
                              window.strides, window.padsBegin, window.padsEnd, window.dilations)
      .getResult(0);
}

PoolKind poolKind(MaxPoolOp) { return PoolKind::Max; }
PoolKind poolKind(MaxPoolGradOp) { return PoolKind::Max; }
PoolKind averageKind(bool countsPadding) {
  return countsPadding ? PoolKind::AverageWithPadding : PoolKind::Average;
}
PoolKind poolKind(AveragePoolOp op) { return averageKind(op.getCountIncludePad() != 0); }
PoolKind poolKind(AveragePoolGradOp op) { return averageKind(op.getCountIncludePad() != 0); }

template <typename Op> bool isUncountable(Op op, Value x, Value y) {
  Window window = op.getWindow();
  return poolKind(op) == PoolKind::AverageWithPadding && padForLastWindow(window, x, y);
}

struct LowerConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Value> inputs{op.getX(), op.getW()};
    if (op.getB())
      inputs.push_back(op.getB());
    rewriter.replaceOp(
        op, createWindowKernel<tutti::kernel::ConvolutionOp>(builder, op, inputs, op.getY(),
                                                             op.getGroup(), op.getX(), op.getY()));
    return success();
  }
};

struct LowerConvGrad : OpRewritePattern<ConvGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvGradOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    if (!op.getDX().use_empty())
      rewriter.replaceAllUsesWith(op.getDX(),
                                  createWindowKernel<tutti::kernel::ConvolutionBackwardDataOp>(
                                      builder, op, {op.getDY(), op.getW()}, op.getDX(),
                                      op.getGroup(), op.getX(), op.getDY()));
    if (!op.getDW().use_empty())
      rewriter.replaceAllUsesWith(op.getDW(),
                                  createWindowKernel<tutti::kernel::ConvolutionBackwardWeightsOp>(
                                      builder, op, {op.getDY(), op.getX()}, op.getDW(),
                                      op.getGroup(), op.getX(), op.getDY()));
    if (!op.getDB().use_empty())
      rewriter.replaceAllUsesWith(op.getDB(), createSum(builder, op.getDY(), {1}));
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename Op> struct LowerPool : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (isUncountable(op, op.getX(), op.getY()))
      return rewriter.notifyMatchFailure(op, kBeyondPadding);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createWindowKernel<tutti::kernel::PoolOp>(builder, op, op.getX(),
                                                                     op.getY(), poolKind(op),
                                                                     op.getX(), op.getY()));
    return success();
  }
};

template <typename Op> struct LowerPoolGrad : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (isUncountable(op, op.getX(), op.getDY()))
      return rewriter.notifyMatchFailure(op, kBeyondPadding);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createWindowKernel<tutti::kernel::PoolBackwardOp>(
                               builder, op, {op.getDY(), op.getX()}, op.getDX(), poolKind(op),
                               op.getX(), op.getDY()));
    return success();
  }
};

} // namespace

void tutti::conversion::populateWindowPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerConv, LowerConvGrad, LowerPool<MaxPoolOp>, LowerPool<AveragePoolOp>,
               LowerPoolGrad<MaxPoolGradOp>, LowerPoolGrad<AveragePoolGradOp>>(
      patterns.getContext());
}
