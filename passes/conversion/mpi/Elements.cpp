// Bits of elements as integers, and the arithmetic of reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/conversion/mpi/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tutti::conversion;
using tutti::collective::ReductionKind;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

Type tutti::conversion::getCarrier(Type element) {
  Builder builder(element.getContext());
  if (isHalf(element))
    return builder.getI16Type();
  return element.isInteger(1) ? builder.getI8Type() : element;
}

Value tutti::conversion::toCarrier(ImplicitLocOpBuilder &builder, Value value) {
  Type carrier = getCarrier(value.getType());
  if (isHalf(value.getType()))
    return arith::BitcastOp::create(builder, carrier, value);
  return value.getType().isInteger(1) ? arith::ExtUIOp::create(builder, carrier, value) : value;
}

Value tutti::conversion::fromCarrier(ImplicitLocOpBuilder &builder, Value bits, Type element) {
  if (isHalf(element))
    return arith::BitcastOp::create(builder, element, bits);
  return element.isInteger(1) ? arith::TruncIOp::create(builder, element, bits) : bits;
}

/// arith computes with integers that have no sign; a cast to one of them and back leaves nothing
/// after in LLVM.
static Value castTo(ImplicitLocOpBuilder &builder, Type type, Value value) {
  return UnrealizedConversionCastOp::create(builder, type, value).getResult(0);
}

Value Combiner::widen(ImplicitLocOpBuilder &builder, Value value) const {
  if (isHalf(element))
    return arith::ExtFOp::create(builder, builder.getF32Type(), value);
  if (element.isUnsignedInteger())
    return castTo(builder, builder.getIntegerType(element.getIntOrFloatBitWidth()), value);
  return value;
}

Value Combiner::narrow(ImplicitLocOpBuilder &builder, Value value) const {
  if (isHalf(element))
    return arith::TruncFOp::create(builder, element, value);
  return element.isUnsignedInteger() ? castTo(builder, element, value) : value;
}

Value Combiner::addOrMultiply(ImplicitLocOpBuilder &builder, Value soFar, Value value) const {
  bool isFloat = isa<FloatType>(element);
  if (reduction == ReductionKind::prod)
    return isFloat ? arith::MulFOp::create(builder, soFar, value).getResult()
                   : arith::MulIOp::create(builder, soFar, value).getResult();
  return isFloat ? arith::AddFOp::create(builder, soFar, value).getResult()
                 : arith::AddIOp::create(builder, soFar, value).getResult();
}

Value Combiner::keepsFirst(ImplicitLocOpBuilder &builder, Value soFar, Value value) const {
  bool isMin = reduction == ReductionKind::min;
  if (isa<FloatType>(element)) {
    auto order = isMin ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
    Value isBetter = arith::CmpFOp::create(builder, order, soFar, value);
    Value isNan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, soFar, soFar);
    return arith::OrIOp::create(builder, isNan, isBetter);
  }
  auto order = isMin ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
  if (element.isUnsignedInteger())
    order = isMin ? arith::CmpIPredicate::ult : arith::CmpIPredicate::ugt;
  return arith::CmpIOp::create(builder, order, soFar, value);
}

Value Combiner::combine(ImplicitLocOpBuilder &builder, Value soFar, Value value) const {
  if (reduction != ReductionKind::min && reduction != ReductionKind::max)
    return addOrMultiply(builder, soFar, value);
  return arith::SelectOp::create(builder, keepsFirst(builder, soFar, value), soFar, value);
}

Value Combiner::finish(ImplicitLocOpBuilder &builder, Value value, Value count) const {
  if (reduction != ReductionKind::mean)
    return value;
  Value ranks = arith::IndexCastOp::create(builder, builder.getI64Type(), count);
  Value divisor = arith::SIToFPOp::create(builder, value.getType(), ranks);
  return arith::DivFOp::create(builder, value, divisor);
}
