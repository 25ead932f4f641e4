// Constants and changes of shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

/// The same bits as integers that arith has, which has no types with signs; null if it cannot be
/// told.
ElementsAttr withoutSign(ElementsAttr content) {
  auto type = cast<RankedTensorType>(content.getShapedType());
  Type element = IntegerType::get(content.getContext(), type.getElementTypeBitWidth());
  if (auto dense = dyn_cast<DenseElementsAttr>(content))
    return dense.bitcast(element);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(content))
    return DenseResourceElementsAttr::get(type.clone(element), resource.getRawHandle());
  return nullptr;
}

struct LowerConstant : OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConstantOp op, PatternRewriter &rewriter) const override {
    Type element = tensorType(op.getResult()).getElementType();
    if (element.isUnsignedInteger()) {
      ElementsAttr content = withoutSign(cast<ElementsAttr>(op.getValue()));
      if (!content)
        return rewriter.notifyMatchFailure(op, "its content is neither dense nor a resource");
      ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
      Value bits = arith::ConstantOp::create(builder, cast<TypedAttr>(content));
      auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
        return {UnrealizedConversionCastOp::create(b, element, in[0]).getResult(0)};
      };
      rewriter.replaceOp(op, createElementwise(builder, tensorType(op.getResult()), bits, body));
      return success();
    }
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
