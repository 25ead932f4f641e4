// Element types on the way: what travels as what, and how two become one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_MPI_ELEMENTS_H
#define TUTTI_PASSES_CONVERSION_MPI_ELEMENTS_H

#include "dialects/collective/Collective.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// The type as which `element` travels: itself, where upstream's lowering has an MPI type for it,
/// or an integer type that holds its bits (i16 for f16 and bf16, i8 for i1).
mlir::Type getCarrier(mlir::Type element);

/// `value` as an element of its carrier, and back.
mlir::Value toCarrier(mlir::ImplicitLocOpBuilder &builder, mlir::Value value);
mlir::Value fromCarrier(mlir::ImplicitLocOpBuilder &builder, mlir::Value bits, mlir::Type element);

/// How elements of one type are reduced, as Tutti's runtime does it: in rank order, 16-bit floats
/// in f32 and rounded once.
class Combiner {
public:
  Combiner(mlir::Type element, collective::ReductionKind reduction)
      : element(element), reduction(reduction) {}

  /// An element as what partial results are kept in, and back.
  mlir::Value widen(mlir::ImplicitLocOpBuilder &builder, mlir::Value value) const;
  mlir::Value narrow(mlir::ImplicitLocOpBuilder &builder, mlir::Value value) const;
  /// The partial result of `soFar` and the next rank's `value`, both widened.
  mlir::Value combine(mlir::ImplicitLocOpBuilder &builder, mlir::Value soFar,
                      mlir::Value value) const;
  /// What is left to do when all ranks, `count` of them (an index), are in `value`.
  mlir::Value finish(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                     mlir::Value count) const;

private:
  mlir::Value addOrMultiply(mlir::ImplicitLocOpBuilder &builder, mlir::Value soFar,
                            mlir::Value value) const;
  /// Whether the earlier of the two stays. Of a NaN on either side it is the NaN that stays.
  mlir::Value keepsFirst(mlir::ImplicitLocOpBuilder &builder, mlir::Value soFar,
                         mlir::Value value) const;

  mlir::Type element;
  collective::ReductionKind reduction;
};

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_MPI_ELEMENTS_H
