// Constants and changes of shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

struct LowerConstant : OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConstantOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, cast<TypedAttr>(op.getValue()));
    return success();
  }
};

/// Operators that keep the elements and their order.
template <typename Op> struct LowerReshape : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createReshape(builder, op->getOperand(0), tensorType(op->getResult(0)).getShape()));
    return success();
  }
};

/// As a linalg.generic rather than linalg.transpose: that is what fusion sees.
struct LowerTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> permutation = op.getPermutation();
    AffineMap read =
        inversePermutation(selectDimensions(op.getContext(), permutation.size(), permutation));
    rewriter.replaceOp(op,
                       createMapped(builder, tensorType(op.getTransposed()), op.getData(), read,
                                    [](ImplicitLocOpBuilder &,
                                       ValueRange in) -> SmallVector<Value> { return {in[0]}; }));
    return success();
  }
};

} // namespace

void tutti::conversion::populateShapePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerConstant, LowerReshape<FlattenOp>, LowerReshape<ReshapeOp>,
               LowerReshape<SqueezeOp>, LowerReshape<UnsqueezeOp>, LowerTranspose>(
      patterns.getContext());
}
