// Folds and rewrites of arithmetic: constants, neutral elements, and forms that have a simpler
// name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::onnx;

/// `attribute` as a constant of the given static type: a splat takes its shape.
static Attribute spread(Attribute attribute, RankedTensorType type) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!dense || dense.getType() == type)
    return dense;
  if (dense.isSplat() && type.hasStaticShape() && dense.getElementType() == type.getElementType())
    return dense.resizeSplat(type);
  return {};
}

template <typename OnFloats, typename OnIntegers>
static OpFoldResult foldConstants(ArrayRef<Attribute> operands, Type type, OnFloats onFloats,
                                  OnIntegers onIntegers) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<Attribute, 2> spreadOperands = {spread(operands[0], tensor),
                                              spread(operands[1], tensor)};
  if (!spreadOperands[0] || !spreadOperands[1])
    return {};
  if (isa<FloatType>(tensor.getElementType()))
    return constFoldBinaryOp<FloatAttr, APFloat, void>(spreadOperands, onFloats);
  return constFoldBinaryOp<IntegerAttr, APInt, void>(spreadOperands, onIntegers);
}

/// True when every element of the constant is `number`.
static bool isAll(Attribute attribute, double number) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().convertToDouble() == number;
  return dense.getElementType().isSignlessInteger() &&
         dense.getSplatValue<APInt>().getSExtValue() == static_cast<int64_t>(number);
}

/// The operand itself, if the other one is neutral and does not widen the shape.
static Value withoutNeutral(Value operand, Attribute other, double neutral, Type type) {
  return operand.getType() == type && isAll(other, neutral) ? operand : Value();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // -0.0 + 0.0 is 0.0, so x + 0 is x up to the sign of a zero.
  if (Value kept = withoutNeutral(getA(), adaptor.getB(), 0, getType()))
    return kept;
  if (Value kept = withoutNeutral(getB(), adaptor.getA(), 0, getType()))
    return kept;
  return foldConstants(
      adaptor.getOperands(), getType(), [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (Value kept = withoutNeutral(getA(), adaptor.getB(), 0, getType()))
    return kept;
  return foldConstants(
      adaptor.getOperands(), getType(), [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (Value kept = withoutNeutral(getA(), adaptor.getB(), 1, getType()))
    return kept;
  if (Value kept = withoutNeutral(getB(), adaptor.getA(), 1, getType()))
    return kept;
  return foldConstants(
      adaptor.getOperands(), getType(), [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (Value kept = withoutNeutral(getA(), adaptor.getB(), 1, getType()))
    return kept;
  auto tensor = cast<RankedTensorType>(getType());
  if (!isa<FloatType>(tensor.getElementType())) // integers could be divided by zero
    return {};
  return foldConstants(
      adaptor.getOperands(), getType(), [](const APFloat &a, const APFloat &b) { return a / b; },
      [](const APInt &a, const APInt &b) { return a; });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getX().getDefiningOp<NegOp>(); inner && inner.getX().getType() == getType())
    return inner.getX();
  return {};
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult SumOp::fold(FoldAdaptor adaptor) {
  if (getOperands().size() == 1 && getOperand(0).getType() == getType())
    return getOperand(0);
  return {};
}

static LogicalResult sumOfTwoIsAdd(SumOp op, PatternRewriter &rewriter) {
  if (op.getOperands().size() != 2)
    return failure();
  rewriter.replaceOpWithNewOp<AddOp>(op, op.getType(), op.getOperand(0), op.getOperand(1));
  return success();
}

void SumOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(sumOfTwoIsAdd);
}

/// x^1 is x and x^2 is x * x, unless the exponent widens the shape.
static LogicalResult smallPowerIsProduct(PowOp op, PatternRewriter &rewriter) {
  Attribute exponent;
  if (op.getX().getType() != op.getType() || !matchPattern(op.getY(), m_Constant(&exponent)))
    return failure();
  if (isAll(exponent, 1))
    rewriter.replaceOp(op, op.getX());
  else if (isAll(exponent, 2))
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getX(), op.getX());
  else
    return failure();
  return success();
}

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(smallPowerIsProduct);
}
