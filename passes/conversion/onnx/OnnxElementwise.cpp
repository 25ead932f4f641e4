// Elementwise operators of ONNX as loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/LoopArithmetic.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

/// A loop's body has no place for the signedness of an unsigned type; ScalarMath carries it
/// instead.
bool isUnsigned(Type type) { return type.isUnsignedInteger(); }

/// The integer as arith has it, which has no types with signs; nothing is left of the cast in LLVM.
Value withoutSign(ImplicitLocOpBuilder &builder, Value scalar) {
  Type type = scalar.getType();
  if (!isUnsigned(type))
    return scalar;
  Type signless = builder.getIntegerType(type.getIntOrFloatBitWidth());
  return UnrealizedConversionCastOp::create(builder, signless, scalar).getResult(0);
}

/// `scalar` as a number of type `to`; either may be unsigned.
Value castAny(ImplicitLocOpBuilder &builder, Value scalar, Type to) {
  bool fromUnsigned = isUnsigned(scalar.getType()), toUnsigned = isUnsigned(to);
  Type signless = toUnsigned ? builder.getIntegerType(to.getIntOrFloatBitWidth()) : to;
  Value number = withoutSign(builder, scalar);
  bool isWrapped = toUnsigned && to.getIntOrFloatBitWidth() < 64; // as C casts, also below 0
  if (isWrapped && isa<FloatType>(scalar.getType()))
    number = castScalar(builder, number, builder.getI64Type());
  number = castScalar(builder, number, signless, fromUnsigned, toUnsigned);
  return toUnsigned ? UnrealizedConversionCastOp::create(builder, to, number).getResult(0) : number;
}

/// A scalar as formulas use it: floats are computed in 32 bits at least, and unsigned integers as
/// larger ones with a sign.
Value widen(ImplicitLocOpBuilder &builder, Value scalar) {
  if (isUnsigned(scalar.getType()))
    return castAny(builder, scalar, builder.getI64Type());
  bool isNarrow = isa<Float16Type, BFloat16Type>(scalar.getType());
  return isNarrow ? castScalar(builder, scalar, builder.getF32Type()) : scalar;
}

/// Whether all that a formula makes of such integers can be made of larger ones with a sign.
bool fitsWithSign(Value value) {
  Type element = tensorType(value).getElementType();
  return !isUnsigned(element) || element.getIntOrFloatBitWidth() < 64;
}

/// Any operator with a formula.
template <typename Op> struct LowerFormula : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperands(), fitsWithSign))
      return rewriter.notifyMatchFailure(op, "there is no arithmetic on unsigned integers of 64 "
                                             "bits; cast them to int64");
    RankedTensorType type = tensorType(op->getResult(0));
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      LoopArithmetic arithmetic(b);
      SmallVector<tutti::Expression<LoopArithmetic>> scalars;
      for (Value scalar : in.drop_back()) // the last one is the output
        scalars.push_back({arithmetic, widen(b, scalar)});
      Value result = op.compute(ArrayRef(scalars)).value();
      return {castAny(b, result, type.getElementType())};
    };
    rewriter.replaceOp(op, createElementwise(builder, type, op->getOperands(), body));
    return success();
  }
};

template <typename Op> void addFormula(RewritePatternSet &patterns) {
  if constexpr (Op::template hasTrait<Formula>())
    patterns.add<LowerFormula<Op>>(patterns.getContext());
}

template <typename... Ops> void addFormulas(RewritePatternSet &patterns) {
  (addFormula<Ops>(patterns), ...);
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
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createElementwise(builder, type, op.getInput(),
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                                return {castAny(b, in[0], type.getElementType())};
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
  patterns.add<LowerPow, LowerCast, LowerIdentity>(patterns.getContext());
  addFormulas<
#define GET_OP_LIST
#include "dialects/onnx/Onnx.cpp.inc"
      >(patterns);
}
