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
using namespace tutti::onnx;

namespace {

constexpr const char *kBeyondPadding = "a mean that counts the padding (count_include_pad) cannot "
                                       "have windows that reach beyond it (ceil_mode)";
constexpr const char *kFloatOnly = "convolution and pooling are computed in f32 only";

Value createCall(ImplicitLocOpBuilder &builder, StringRef kernel, ValueRange inputs, Type output,
                 ArrayRef<int64_t> parameters) {
  Value destination = createEmpty(builder, cast<RankedTensorType>(output));
  return tutti::kernel::CallOp::create(builder, kernel, inputs, ValueRange{destination}, parameters)
      .getResult(0);
}

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

/// Appends what follows the heads of all window kernels: in, window, out.
void appendWindow(SmallVectorImpl<int64_t> &parameters, Window window, Value x, Value y) {
  padForLastWindow(window, x, y);
  llvm::append_range(parameters, tensorType(x).getShape().drop_front(2));
  for (ArrayRef<int64_t> part :
       {ArrayRef<int64_t>(window.kernel), ArrayRef<int64_t>(window.strides),
        ArrayRef<int64_t>(window.padsBegin), ArrayRef<int64_t>(window.padsEnd),
        ArrayRef<int64_t>(window.dilations)})
    llvm::append_range(parameters, part);
  llvm::append_range(parameters, tensorType(y).getShape().drop_front(2));
}

/// x and y are the data and the result of the convolution, or tensors of their shapes.
template <typename Op>
SmallVector<int64_t> convolutionParameters(Op op, Value x, Value y, bool hasBias) {
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> parameters{type.getRank() - 2,
                                  type.getDimSize(0),
                                  type.getDimSize(1),
                                  tensorType(y).getDimSize(1),
                                  static_cast<int64_t>(op.getGroup()),
                                  hasBias};
  appendWindow(parameters, op.getWindow(), x, y);
  return parameters;
}

/// `kind` as in abi.def.
template <typename Op> SmallVector<int64_t> poolParameters(Op op, Value x, Value y, int64_t kind) {
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> parameters{type.getRank() - 2, type.getDimSize(0), type.getDimSize(1), kind};
  appendWindow(parameters, op.getWindow(), x, y);
  return parameters;
}

int64_t poolKind(MaxPoolOp) { return 0; }
int64_t poolKind(MaxPoolGradOp) { return 0; }
int64_t poolKind(AveragePoolOp op) { return op.getCountIncludePad() ? 2 : 1; }
int64_t poolKind(AveragePoolGradOp op) { return op.getCountIncludePad() ? 2 : 1; }

template <typename Op> bool isUncountable(Op op, Value x, Value y) {
  Window window = op.getWindow();
  return poolKind(op) == 2 && padForLastWindow(window, x, y);
}

struct LowerConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    if (!tensorType(op.getX()).getElementType().isF32())
      return rewriter.notifyMatchFailure(op, kFloatOnly);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Value> inputs{op.getX(), op.getW()};
    if (op.getB())
      inputs.push_back(op.getB());
    rewriter.replaceOp(
        op, createCall(builder, "tutti_convolution", inputs, op.getY().getType(),
                       convolutionParameters(op, op.getX(), op.getY(), bool(op.getB()))));
    return success();
  }
};

struct LowerConvGrad : OpRewritePattern<ConvGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvGradOp op, PatternRewriter &rewriter) const override {
    if (!tensorType(op.getX()).getElementType().isF32())
      return rewriter.notifyMatchFailure(op, kFloatOnly);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> parameters = convolutionParameters(op, op.getX(), op.getDY(), false);
    if (!op.getDX().use_empty())
      rewriter.replaceAllUsesWith(op.getDX(), createCall(builder, "tutti_convolution_backward_data",
                                                         {op.getDY(), op.getW()},
                                                         op.getDX().getType(), parameters));
    if (!op.getDW().use_empty())
      rewriter.replaceAllUsesWith(
          op.getDW(), createCall(builder, "tutti_convolution_backward_weights",
                                 {op.getDY(), op.getX()}, op.getDW().getType(), parameters));
    if (!op.getDB().use_empty())
      rewriter.replaceAllUsesWith(op.getDB(), createSum(builder, op.getDY(), {1}));
    rewriter.eraseOp(op);
    return success();
  }
};

template <typename Op> struct LowerPool : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!tensorType(op.getX()).getElementType().isF32())
      return rewriter.notifyMatchFailure(op, kFloatOnly);
    if (isUncountable(op, op.getX(), op.getY()))
      return rewriter.notifyMatchFailure(op, kBeyondPadding);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createCall(builder, "tutti_pool", op.getX(), op.getY().getType(),
                                      poolParameters(op, op.getX(), op.getY(), poolKind(op))));
    return success();
  }
};

template <typename Op> struct LowerPoolGrad : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!tensorType(op.getX()).getElementType().isF32())
      return rewriter.notifyMatchFailure(op, kFloatOnly);
    if (isUncountable(op, op.getX(), op.getDY()))
      return rewriter.notifyMatchFailure(op, kBeyondPadding);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createCall(builder, "tutti_pool_backward", {op.getDY(), op.getX()},
                                      op.getDX().getType(),
                                      poolParameters(op, op.getX(), op.getDY(), poolKind(op))));
    return success();
  }
};

} // namespace

void tutti::conversion::populateWindowPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerConv, LowerConvGrad, LowerPool<MaxPoolOp>, LowerPool<AveragePoolOp>,
               LowerPoolGrad<MaxPoolGradOp>, LowerPoolGrad<AveragePoolGradOp>>(
      patterns.getContext());
}
