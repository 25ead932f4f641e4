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

/// With ceil_mode the last window reaches beyond the padding; kernels want that as padding too.
/// True if it does.
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

/// A kernel with a window that slides over `x` to give `y`. `first` is the attribute before those
/// of the window.
template <typename Kernel, typename Attribute>
Value createWindowKernel(ImplicitLocOpBuilder &builder, Window window, ValueRange inputs,
                         RankedTensorType output, Attribute first, Value x, Value y) {
  padForLastWindow(window, x, y);
  Value destination = createEmpty(builder, output);
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

/// What a pool slides over.
struct Pool {
  /// A mean counts the padding, but not what windows see beyond it (ceil_mode). Kernels have one
  /// kind of padding, so the one that counts becomes zeros of the operand.
  template <typename Op>
  Pool(ImplicitLocOpBuilder &builder, Op op, Value y)
      : kind(poolKind(op)), window(op.getWindow()), x(op.getX()) {
    Window reaching = window;
    if (kind != PoolKind::AverageWithPadding || !padForLastWindow(reaching, x, y))
      return;
    kind = PoolKind::Average;
    padsBegin.swap(window.padsBegin);
    for (size_t i = 0; i < padsBegin.size(); ++i) {
      x = padded(builder, x, i + 2, padsBegin[i], window.padsEnd[i]);
      window.padsEnd[i] = 0;
    }
    window.padsBegin.assign(padsBegin.size(), 0);
  }

  static Value padded(ImplicitLocOpBuilder &builder, Value data, int64_t axis, int64_t before,
                      int64_t after) {
    if (before + after == 0)
      return data;
    SmallVector<int64_t> shape(tensorType(data).getShape());
    shape[axis] += before + after;
    Value zeros = createFilled(builder, tensorType(data).clone(shape), 0.0);
    return createInsertionAt(builder, data, zeros, before, axis);
  }

  /// The part of the gradient of `x` that is the gradient of an operand of this `type`.
  Value withoutPadding(ImplicitLocOpBuilder &builder, Value gradient, RankedTensorType type) const {
    for (auto [i, begin] : llvm::enumerate(padsBegin)) {
      SmallVector<int64_t> shape(tensorType(gradient).getShape());
      if (shape[i + 2] == type.getDimSize(i + 2))
        continue;
      shape[i + 2] = type.getDimSize(i + 2);
      gradient = createExtractionAt(builder, gradient, type.clone(shape), begin, i + 2);
    }
    return gradient;
  }

  PoolKind kind;
  Window window;
  Value x;
  SmallVector<int64_t, 3> padsBegin; ///< of zeros in `x`; empty if there are none
};

struct LowerConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Value> inputs{op.getX(), op.getW()};
    if (op.getB())
      inputs.push_back(op.getB());
    rewriter.replaceOp(op, createWindowKernel<tutti::kernel::ConvolutionOp>(
                               builder, op.getWindow(), inputs, op.getType(), op.getGroup(),
                               op.getX(), op.getY()));
    return success();
  }
};

struct LowerConvGrad : OpRewritePattern<ConvGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvGradOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    if (!op.getDX().use_empty())
      rewriter.replaceAllUsesWith(
          op.getDX(), createWindowKernel<tutti::kernel::ConvolutionBackwardDataOp>(
                          builder, op.getWindow(), {op.getDY(), op.getW()}, tensorType(op.getDX()),
                          op.getGroup(), op.getX(), op.getDY()));
    if (!op.getDW().use_empty())
      rewriter.replaceAllUsesWith(
          op.getDW(), createWindowKernel<tutti::kernel::ConvolutionBackwardWeightsOp>(
                          builder, op.getWindow(), {op.getDY(), op.getX()}, tensorType(op.getDW()),
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
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Pool pool(builder, op, op.getY());
    rewriter.replaceOp(op, createWindowKernel<tutti::kernel::PoolOp>(builder, pool.window, pool.x,
                                                                     tensorType(op.getY()),
                                                                     pool.kind, pool.x, op.getY()));
    return success();
  }
};

template <typename Op> struct LowerPoolGrad : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Pool pool(builder, op, op.getDY());
    Value gradient = createWindowKernel<tutti::kernel::PoolBackwardOp>(
        builder, pool.window, {op.getDY(), pool.x}, tensorType(pool.x), pool.kind, pool.x,
        op.getDY());
    rewriter.replaceOp(op, pool.withoutPadding(builder, gradient, tensorType(op.getDX())));
    return success();
  }
};

} // namespace

void tutti::conversion::populateWindowPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerConv, LowerConvGrad, LowerPool<MaxPoolOp>, LowerPool<AveragePoolOp>,
               LowerPoolGrad<MaxPoolGradOp>, LowerPoolGrad<AveragePoolGradOp>>(
      patterns.getContext());
}
