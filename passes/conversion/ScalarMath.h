// Arithmetic on scalars, short enough to write a formula in: `s.mul(a, s.add(b, c))`.
// Each operation on floats is rounded by itself; nothing is relaxed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_SCALARMATH_H
#define TUTTI_PASSES_CONVERSION_SCALARMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// Builds scalar ops of one element type at the builder's point. `isUnsigned` is asked for only
/// where an integer operation differs by it.
class ScalarMath {
public:
  ScalarMath(mlir::ImplicitLocOpBuilder &builder, mlir::Type type, bool isUnsigned = false)
      : builder(builder), type(type), isUnsigned(isUnsigned) {}

  mlir::Value constant(double value) const;
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value div(mlir::Value a, mlir::Value b) const;
  mlir::Value neg(mlir::Value a) const;
  mlir::Value abs(mlir::Value a) const;
  /// With the sign of `a`.
  mlir::Value remainder(mlir::Value a, mlir::Value b) const;
  mlir::Value sqrt(mlir::Value a) const;
  mlir::Value exp(mlir::Value a) const;
  mlir::Value log(mlir::Value a) const;
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const;
  /// `a < b`; false if either is NaN.
  mlir::Value less(mlir::Value a, mlir::Value b) const;
  /// `a <= b`; false if either is NaN.
  mlir::Value atMost(mlir::Value a, mlir::Value b) const;
  mlir::Value equal(mlir::Value a, mlir::Value b) const;
  /// NaN if either is NaN.
  mlir::Value max(mlir::Value a, mlir::Value b) const;
  mlir::Value min(mlir::Value a, mlir::Value b) const;
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type); }

  mlir::ImplicitLocOpBuilder &builder;
  mlir::Type type;
  bool isUnsigned;
};

/// Converts a scalar between float and integer types as C does; i1 counts as 0 or 1, and to i1
/// means "is not 0".
mlir::Value castScalar(mlir::ImplicitLocOpBuilder &builder, mlir::Value value, mlir::Type to,
                       bool fromUnsigned = false, bool toUnsigned = false);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_SCALARMATH_H
