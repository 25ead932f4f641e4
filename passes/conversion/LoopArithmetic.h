// Arithmetic on the scalars of a loop, each operation in the type of what it takes: what formulas
// of elementwise operations (dialects/interfaces/Expression.h) are lowered with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_LOOPARITHMETIC_H
#define TUTTI_PASSES_CONVERSION_LOOPARITHMETIC_H

#include "passes/conversion/ScalarMath.h"

namespace tutti::conversion {

/// Builds at the builder's point, by which it is kept.
class LoopArithmetic {
public:
  using Value = mlir::Value;

  explicit LoopArithmetic(mlir::ImplicitLocOpBuilder &builder) : builder(builder) {}

  Value constant(double number, Value like) { return of(like).constant(number); }
  Value add(Value a, Value b) { return of(a).add(a, b); }
  Value sub(Value a, Value b) { return of(a).sub(a, b); }
  Value mul(Value a, Value b) { return of(a).mul(a, b); }
  Value div(Value a, Value b) { return of(a).div(a, b); }
  Value neg(Value a) { return of(a).neg(a); }
  Value remainder(Value a, Value b) { return of(a).remainder(a, b); }
  Value max(Value a, Value b) { return of(a).max(a, b); }
  Value min(Value a, Value b) { return of(a).min(a, b); }
  Value abs(Value a) { return of(a).abs(a); }
  Value sign(Value a) {
    Value zero = constant(0, a), one = constant(1, a);
    return select(less(zero, a), one, select(less(a, zero), constant(-1, a), a));
  }

  Value less(Value a, Value b) { return of(a).less(a, b); }
  Value atMost(Value a, Value b) { return of(a).atMost(a, b); }
  Value equal(Value a, Value b) { return of(a).equal(a, b); }
  Value both(Value a, Value b) { return mlir::arith::AndIOp::create(builder, a, b); }
  Value either(Value a, Value b) { return mlir::arith::OrIOp::create(builder, a, b); }
  Value differ(Value a, Value b) { return mlir::arith::XOrIOp::create(builder, a, b); }
  Value invert(Value a) { return differ(a, constant(1, a)); }
  Value select(Value condition, Value a, Value b) { return of(a).select(condition, a, b); }

  Value floor(Value a) { return mlir::math::FloorOp::create(builder, a); }
  Value ceil(Value a) { return mlir::math::CeilOp::create(builder, a); }
  Value round(Value a) { return mlir::math::RoundEvenOp::create(builder, a); }
  Value sqrt(Value a) { return mlir::math::SqrtOp::create(builder, a); }
  Value exp(Value a) { return mlir::math::ExpOp::create(builder, a); }
  Value log(Value a) { return mlir::math::LogOp::create(builder, a); }
  Value erf(Value a) { return mlir::math::ErfOp::create(builder, a); }
  Value sin(Value a) { return mlir::math::SinOp::create(builder, a); }
  Value cos(Value a) { return mlir::math::CosOp::create(builder, a); }
  Value tan(Value a) { return mlir::math::TanOp::create(builder, a); }
  Value atan(Value a) { return mlir::math::AtanOp::create(builder, a); }
  Value asin(Value a) { return mlir::math::AsinOp::create(builder, a); }
  Value acos(Value a) { return mlir::math::AcosOp::create(builder, a); }
  Value sinh(Value a) { return mlir::math::SinhOp::create(builder, a); }
  Value cosh(Value a) { return mlir::math::CoshOp::create(builder, a); }
  Value asinh(Value a) { return mlir::math::AsinhOp::create(builder, a); }
  Value acosh(Value a) { return mlir::math::AcoshOp::create(builder, a); }
  Value atanh(Value a) { return mlir::math::AtanhOp::create(builder, a); }
  Value tanh(Value a) { return mlir::math::TanhOp::create(builder, a); }

private:
  ScalarMath of(Value value) const { return {builder, value.getType()}; }

  mlir::ImplicitLocOpBuilder &builder;
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_LOOPARITHMETIC_H
