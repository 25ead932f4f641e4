// Elementwise operators of ONNX as loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

/// A loop's body has no place for the signedness of an unsigned type; ScalarMath carries it
/// instead.
bool isUnsigned(Type type) { return type.isUnsignedInteger(); }

/// `formula` gets arithmetic of the result's type, and the scalars.
using Formula = Value (*)(const ScalarMath &, ValueRange);

/// Any operator whose result elements depend on the operand elements at the same place.
template <typename Op, Formula formula> struct LowerElementwise : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op->getResult(0));
    if (isUnsigned(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "there is no arithmetic on unsigned integers");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createElementwise(builder, type, op->getOperands(),
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                                return {formula(ScalarMath(b, type.getElementType()), in)};
                              }));
    return success();
  }
};

Value add(const ScalarMath &s, ValueRange in) { return s.add(in[0], in[1]); }
Value subtract(const ScalarMath &s, ValueRange in) { return s.sub(in[0], in[1]); }
Value multiply(const ScalarMath &s, ValueRange in) { return s.mul(in[0], in[1]); }
Value divide(const ScalarMath &s, ValueRange in) { return s.div(in[0], in[1]); }
Value negate(const ScalarMath &s, ValueRange in) {
  if (s.isFloat())
    return arith::NegFOp::create(s.builder, in[0]);
  return s.sub(s.constant(0), in[0]);
}
Value root(const ScalarMath &s, ValueRange in) { return s.sqrt(in[0]); }
Value exponential(const ScalarMath &s, ValueRange in) { return s.exp(in[0]); }
Value logarithm(const ScalarMath &s, ValueRange in) { return s.log(in[0]); }
Value errorFunction(const ScalarMath &s, ValueRange in) {
  return math::ErfOp::create(s.builder, in[0]);
}
Value tangent(const ScalarMath &s, ValueRange in) { return math::TanhOp::create(s.builder, in[0]); }
Value sum(const ScalarMath &s, ValueRange in) {
  Value total = in[0];
  for (Value term : in.drop_front().drop_back()) // the last one is the output
    total = s.add(total, term);
  return total;
}
/// Written as a select: one instruction, and NaN stays NaN.
Value rectify(const ScalarMath &s, ValueRange in) {
  Value zero = s.constant(0);
  return s.select(s.less(in[0], zero), zero, in[0]);
}
Value logistic(const ScalarMath &s, ValueRange in) {
  Value one = s.constant(1);
  return s.div(one, s.add(one, s.exp(arith::NegFOp::create(s.builder, in[0]))));
}
Value rectifyGradient(const ScalarMath &s, ValueRange in) {
  Value zero = s.constant(0);
  return s.select(s.less(zero, in[1]), in[0], zero);
}
Value logisticGradient(const ScalarMath &s, ValueRange in) {
  return s.mul(in[0], s.mul(in[1], s.sub(s.constant(1), in[1])));
}
Value tangentGradient(const ScalarMath &s, ValueRange in) {
  return s.mul(in[0], s.sub(s.constant(1), s.mul(in[1], in[1])));
}

/// x ^ y; the exponents that models use are products or roots. Integers go through f64.
Value power(const ScalarMath &s, Value x, Value y, std::optional<double> exponent) {
  if (exponent == 1.0)
    return x;
  if (exponent == 2.0)
    return s.mul(x, x);
  if (exponent == 3.0)
    return s.mul(x, s.mul(x, x));
  if (exponent == 0.5 && s.isFloat())
    return s.sqrt(x);
  Type wide = s.isFloat() ? s.type : s.builder.getF64Type();
  Value result = math::PowFOp::create(s.builder, castScalar(s.builder, x, wide),
                                      castScalar(s.builder, y, wide));
  return castScalar(s.builder, result, s.type);
}

struct LowerPow : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  static std::optional<double> constantExponent(Value exponent) {
    DenseElementsAttr value;
    if (!matchPattern(exponent, m_Constant(&value)) || !value.isSplat())
      return std::nullopt;
    if (isa<FloatType>(value.getElementType()))
      return value.getSplatValue<APFloat>().convertToDouble();
    return value.getSplatValue<APInt>().getSExtValue();
  }

  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getResult());
    if (isUnsigned(type.getElementType()) || isUnsigned(tensorType(op.getY()).getElementType()))
      return rewriter.notifyMatchFailure(op, "there is no arithmetic on unsigned integers");
    std::optional<double> exponent = constantExponent(op.getY());
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createElementwise(builder, type, op->getOperands(),
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                                return {power(ScalarMath(b, type.getElementType()), in[0], in[1],
                                              exponent)};
                              }));
    return success();
  }
};

struct LowerCast : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getOutput());
    Type from = tensorType(op.getInput()).getElementType();
    if (isUnsigned(type.getElementType()) || isUnsigned(from))
      return rewriter.notifyMatchFailure(op, "there is no arithmetic on unsigned integers");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createElementwise(builder, type, op.getInput(),
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                                return {castScalar(b, in[0], type.getElementType())};
                              }));
    return success();
  }
};

struct LowerIdentity : OpRewritePattern<IdentityOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(IdentityOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getInput());
    return success();
  }
};

} // namespace

void tutti::conversion::populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerElementwise<AddOp, add>, LowerElementwise<SubOp, subtract>,
               LowerElementwise<MulOp, multiply>, LowerElementwise<DivOp, divide>,
               LowerElementwise<SumOp, sum>, LowerElementwise<NegOp, negate>,
               LowerElementwise<SqrtOp, root>, LowerElementwise<ExpOp, exponential>,
               LowerElementwise<LogOp, logarithm>, LowerElementwise<ErfOp, errorFunction>,
               LowerElementwise<TanhOp, tangent>, LowerElementwise<ReluOp, rectify>,
               LowerElementwise<SigmoidOp, logistic>, LowerElementwise<ReluGradOp, rectifyGradient>,
               LowerElementwise<SigmoidGradOp, logisticGradient>,
               LowerElementwise<TanhGradOp, tangentGradient>, LowerPow, LowerCast, LowerIdentity>(
      patterns.getContext());
}
