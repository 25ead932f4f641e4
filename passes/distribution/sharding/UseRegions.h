// Where a function uses a value whole that ranks keep in parts: forward, and backward.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SHARDING_USEREGIONS_H
#define TUTTI_PASSES_DISTRIBUTION_SHARDING_USEREGIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace tutti::distribution {

/// Uses of one value that follow one another closely enough to share a copy of it.
struct UseRegion {
  mlir::Operation *first = nullptr; ///< stands before all uses, in their block or around them
  bool isForward = false;
  int64_t number = 0; ///< which of those that the uses of one value may be divided into
  llvm::SmallVector<mlir::OpOperand *> uses;
};

/// Divides the uses of values in `function`, of one block: by the block they stand in, that of the
/// function or of a loop over micro-batches, and by whether an operation is one of the forward
/// pass, of which metrics and outputs are made. What only gradients are made of is backward.
/// Describes the function as it is when the object is made, in time linear in its size.
class UseRegions {
public:
  explicit UseRegions(mlir::func::FuncOp function);

  /// The regions of `value`, in the order of its uses.
  llvm::SmallVector<UseRegion> find(mlir::Value value) const;

  /// What only casts, transposes or otherwise rearranges one of `values` element by element is
  /// computed anew in each region that uses it, so that it is not kept from one to the next.
  /// Returns how many operations were added.
  unsigned recompute(llvm::ArrayRef<mlir::Value> values);

private:
  void findForward();
  mlir::Operation *getPlace(mlir::Operation *user) const;
  unsigned recompute(mlir::Operation *op);

  mlir::func::FuncOp function;
  llvm::DenseSet<mlir::Operation *> forward;
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SHARDING_USEREGIONS_H
