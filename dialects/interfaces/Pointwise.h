// Operations that can be computed on a part of each of their tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_POINTWISE_H
#define TUTTI_INTERFACES_POINTWISE_H

#include "mlir/IR/OpDefinition.h"

namespace tutti {

/// Each element of the results depends on that element of the operands, and on scalars, alone; see
/// Pointwise.td.
template <typename ConcreteOp>
class Pointwise : public mlir::OpTrait::TraitBase<ConcreteOp, Pointwise> {};

/// Each row, an entry of dimension 0, of the results depends on that row of the operands, and on
/// scalars, alone; see Pointwise.td.
template <typename ConcreteOp>
class Rowwise : public mlir::OpTrait::TraitBase<ConcreteOp, Rowwise> {};

/// Whether `op` says that part of its results is what it computes of the same part of its operands:
/// by this trait, or by `Elementwise` of MLIR. Of any other operation nothing is assumed.
inline bool isPointwise(mlir::Operation *op) {
  return op->hasTrait<Pointwise>() || op->hasTrait<mlir::OpTrait::Elementwise>();
}

/// Whether `op` says so of rows; all that is pointwise is.
inline bool isRowwise(mlir::Operation *op) { return op->hasTrait<Rowwise>() || isPointwise(op); }

} // namespace tutti

#endif
