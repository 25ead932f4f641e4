// Arithmetic on scalars.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/ScalarMath.h"

#include "passes/conversion/LinalgBuilders.h"

using namespace mlir;

namespace tutti::conversion {

Value ScalarMath::constant(double value) const {
  return createScalar(builder, builder.getLoc(), type, value);
}

Value ScalarMath::add(Value a, Value b) const {
  if (isFloat())
    return arith::AddFOp::create(builder, a, b);
  return arith::AddIOp::create(builder, a, b);
}

Value ScalarMath::sub(Value a, Value b) const {
  if (isFloat())
    return arith::SubFOp::create(builder, a, b);
  return arith::SubIOp::create(builder, a, b);
}

Value ScalarMath::mul(Value a, Value b) const {
  if (isFloat())
    return arith::MulFOp::create(builder, a, b);
  return arith::MulIOp::create(builder, a, b);
}

Value ScalarMath::div(Value a, Value b) const {
  if (isFloat())
    return arith::DivFOp::create(builder, a, b);
  if (isUnsigned)
    return arith::DivUIOp::create(builder, a, b);
  return arith::DivSIOp::create(builder, a, b);
}

Value ScalarMath::neg(Value a) const {
  if (isFloat())
    return arith::NegFOp::create(builder, a);
  return sub(constant(0), a);
}

Value ScalarMath::abs(Value a) const {
  if (isFloat())
    return math::AbsFOp::create(builder, a);
  return math::AbsIOp::create(builder, a);
}

Value ScalarMath::remainder(Value a, Value b) const {
  if (isFloat())
    return arith::RemFOp::create(builder, a, b);
  if (isUnsigned)
    return arith::RemUIOp::create(builder, a, b);
  return arith::RemSIOp::create(builder, a, b);
}

Value ScalarMath::sqrt(Value a) const { return math::SqrtOp::create(builder, a); }
Value ScalarMath::exp(Value a) const { return math::ExpOp::create(builder, a); }
Value ScalarMath::log(Value a) const { return math::LogOp::create(builder, a); }

Value ScalarMath::select(Value condition, Value a, Value b) const {
  return arith::SelectOp::create(builder, condition, a, b);
}

Value ScalarMath::less(Value a, Value b) const {
  if (isFloat())
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, a, b);
  auto predicate = isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(builder, predicate, a, b);
}

Value ScalarMath::atMost(Value a, Value b) const {
  if (isFloat())
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLE, a, b);
  auto predicate = isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  return arith::CmpIOp::create(builder, predicate, a, b);
}

Value ScalarMath::equal(Value a, Value b) const {
  if (isFloat())
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, a, b);
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, a, b);
}

Value ScalarMath::max(Value a, Value b) const {
  if (isFloat())
    return arith::MaximumFOp::create(builder, a, b);
  return select(less(a, b), b, a);
}

Value ScalarMath::min(Value a, Value b) const {
  if (isFloat())
    return arith::MinimumFOp::create(builder, a, b);
  return select(less(a, b), a, b);
}

static Value castFromFloat(ImplicitLocOpBuilder &builder, Value value, Type to, bool toUnsigned) {
  auto from = cast<FloatType>(value.getType());
  if (auto floatType = dyn_cast<FloatType>(to)) {
    if (from.getWidth() < floatType.getWidth())
      return arith::ExtFOp::create(builder, to, value);
    if (from.getWidth() > floatType.getWidth())
      return arith::TruncFOp::create(builder, to, value);
    // f16 and bf16: neither holds the other.
    Value wide = arith::ExtFOp::create(builder, builder.getF32Type(), value);
    return arith::TruncFOp::create(builder, to, wide);
  }
  if (to.isInteger(1))
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, value,
                                 createScalar(builder, builder.getLoc(), from, 0));
  if (toUnsigned)
    return arith::FPToUIOp::create(builder, to, value);
  return arith::FPToSIOp::create(builder, to, value);
}

static Value castFromInteger(ImplicitLocOpBuilder &builder, Value value, Type to,
                             bool fromUnsigned) {
  bool zeroExtends = fromUnsigned || value.getType().isInteger(1);
  if (isa<FloatType>(to))
    return zeroExtends ? arith::UIToFPOp::create(builder, to, value).getResult()
                       : arith::SIToFPOp::create(builder, to, value).getResult();
  if (to.isInteger(1))
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, value,
                                 createScalar(builder, builder.getLoc(), value.getType(), 0));
  unsigned from = value.getType().getIntOrFloatBitWidth(), width = to.getIntOrFloatBitWidth();
  if (from > width)
    return arith::TruncIOp::create(builder, to, value);
  return zeroExtends ? arith::ExtUIOp::create(builder, to, value).getResult()
                     : arith::ExtSIOp::create(builder, to, value).getResult();
}

Value castScalar(ImplicitLocOpBuilder &builder, Value value, Type to, bool fromUnsigned,
                 bool toUnsigned) {
  if (value.getType() == to)
    return value;
  if (isa<FloatType>(value.getType()))
    return castFromFloat(builder, value, to, toUnsigned);
  return castFromInteger(builder, value, to, fromUnsigned);
}

} // namespace tutti::conversion
