// Gradients of powers and roots, with care at 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::onnx;

/// Whether `holds` of each element of a constant.
static bool areAll(Value exponent, llvm::function_ref<bool(double)> holds) {
  DenseElementsAttr elements;
  if (!matchPattern(exponent, m_Constant(&elements)))
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return llvm::all_of(elements.getValues<APFloat>(), [&](APFloat element) {
      bool losesInfo;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      return holds(element.convertToDouble());
    });
  return llvm::all_of(elements.getValues<APInt>(),
                      [&](const APInt &element) { return holds(element.signedRoundToDouble()); });
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// Whether `value` is |x| or a power of x that is nowhere negative. Its gradient at x = 0 is then
/// 0.
static bool isSquare(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<MulOp>(op))
    return op->getOperand(0) == op->getOperand(1);
  auto power = dyn_cast<PowOp>(op);
  if (!power)
    return isa<AbsOp>(op);
  return power.getX().getDefiningOp<AbsOp>() ||
         areAll(power.getY(), [](double y) { return y == 2; });
}

static bool isNumber(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

static bool addsSquares(Value value) {
  auto *op = value.getDefiningOp();
  return isa_and_nonnull<ReduceSumOp, ReduceMeanOp, AveragePoolOp>(op) &&
         isSquare(op->getOperand(0));
}

/// What a multiple of `op` is a multiple of: an operand that is beside one number (the bias of a
/// variance), in another shape or type, or a part of a sum over all ranks, which is no operator of
/// this dialect. Null if there is none.
static Value multipliedBy(Operation *op) {
  bool isOther = op->getName().getDialectNamespace() != OnnxDialect::getDialectNamespace();
  bool isSame =
      isOther ||
      isa<IdentityOp, CastOp, ReshapeOp, FlattenOp, SqueezeOp, UnsqueezeOp, TransposeOp>(op);
  if (op->getNumOperands() == 1)
    return isSame ? op->getOperand(0) : Value();
  if (isa<MulOp, DivOp>(op) && isNumber(op->getOperand(1)))
    return op->getOperand(0);
  return isa<MulOp>(op) && isNumber(op->getOperand(0)) ? op->getOperand(1) : Value();
}

/// Whether `value` is a multiple of a sum or a mean of squares, or the product of two sums, which
/// are the norms of two vectors.
static bool isSumOfSquares(Value value) {
  constexpr int mostFactors = 16; // so that a chain of products is not walked again and again
  for (int i = 0; value && i < mostFactors; ++i) {
    Operation *op = value.getDefiningOp();
    if (!op || addsSquares(value))
      return op != nullptr;
    if (isa<MulOp>(op) && addsSquares(op->getOperand(0)) && addsSquares(op->getOperand(1)))
      return true;
    value = multipliedBy(op);
  }
  return false;
}

/// A norm has a corner where all that it is made of is 0, and a slope of 0 there: without this it
/// would be infinity, times the zeros.
static Value asOfNorm(GradientBuilder &g, Value slope, Value root) {
  return g.select(g.equal(root, g.scalar(0, root)), g.scalar(0, slope), slope);
}

// d(sqrt(x)) = dx / (2 * sqrt(x))
TUTTI_ONNX_GRADIENT(SqrtOp) {
  Value slope = g.div(g.scale(g.into(), 0.5), op.getY());
  g.give(0, isSumOfSquares(op.getX()) ? asOfNorm(g, slope, op.getY()) : slope);
  return success();
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// d(x^y)/dx = y * x^(y-1), and 0 where y is 0, even if x is, too.
static Value differentiateBase(PowOp op, GradientBuilder &g, Value exponent) {
  Value power = g.create<PowOp>(op.getX(), g.sub(exponent, g.scalar(1, exponent)));
  Value slope = g.mul(g.into(), g.mul(exponent, power));
  if (!areAll(op.getY(), [](double y) { return y != 0; }))
    slope = g.select(g.equal(exponent, g.scalar(0, exponent)), g.scalar(0, slope), slope);
  bool isSteep = !areAll(op.getY(), [](double y) { return y >= 1; });
  return isSteep && isSumOfSquares(op.getX()) ? asOfNorm(g, slope, op.getZ()) : slope;
}

/// d(x^y)/dy = x^y * log(x), and 0 where x is 0 and y is not negative.
static Value differentiateExponent(PowOp op, GradientBuilder &g, Value exponent) {
  Value base = op.getX(), zero = g.scalar(0, base);
  Value isFlat =
      g.both(g.equal(base, zero), g.create<LessOrEqualOp>(g.scalar(0, exponent), exponent));
  Value slope = g.mul(op.getZ(), g.create<LogOp>(base));
  Value gradient = g.mul(g.into(), g.select(isFlat, zero, slope));
  Type element = elementOf(op.getY());
  return element == elementOf(gradient) ? gradient : g.create<CastOp>(gradient, element);
}

TUTTI_ONNX_GRADIENT(PowOp) {
  Value exponent = op.getY();
  Type element = elementOf(op.getX());
  if (elementOf(exponent) != element)
    exponent = g.create<CastOp>(exponent, element);
  if (g.wants(0))
    g.give(0, differentiateBase(op, g, exponent));
  if (g.wants(1))
    g.give(1, differentiateExponent(op, g, exponent));
  return success();
}
