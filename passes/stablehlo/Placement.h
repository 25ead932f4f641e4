// How every value of a function lies on the ranks, when its batch is divided among them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_STABLEHLO_PLACEMENT_H
#define TUTTI_PASSES_STABLEHLO_PLACEMENT_H

#include "lib/layout/SumCut.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti::stablehlo {

/// A forward analysis of one block of generic StableHLO, through its loops and branches. Arguments
/// of the block lie as `setLayout` said before; everything else follows, operation by operation.
///
/// Scatters that add parts of a batch to a table that is not zero are written as a scatter to zeros
/// and an addition on the way: only then is what the ranks sum not the table, too.
class Placement : public PlacedValues {
public:
  explicit Placement(int64_t ranks) : ranks(ranks) {}

  void setLayout(mlir::Value value, Layout layout) { layouts[value] = layout; }

  /// Replicate for values that nobody placed.
  Layout getLayout(mlir::Value value) const override { return layouts.lookup(value); }

  /// Places all values of `block`. Fails, with an error at the operation, where that is not known.
  llvm::LogicalResult place(mlir::Block &block);

  /// As what an operation that was placed takes its operands, and what it gives; null for others,
  /// such as the function's return.
  const Transfer *getTransfer(mlir::Operation *op) const override;

  int64_t getRanks() const { return ranks; }

private:
  /// `op` may become another operation.
  llvm::LogicalResult placeOp(mlir::Operation *&op);
  llvm::LogicalResult placeWhile(mlir::Operation *op);
  llvm::LogicalResult placeBranches(mlir::Operation *op);
  /// Places the body of a loop whose values are carried as `carried`; says what it yields.
  llvm::LogicalResult placeTrip(mlir::Operation *op, llvm::ArrayRef<Layout> carried,
                                llvm::SmallVectorImpl<Layout> &yielded);
  /// The scatter that stands for `op` now.
  mlir::Operation *splitScatter(mlir::Operation *op);
  llvm::SmallVector<Layout> getLayouts(mlir::ValueRange values) const;
  /// The transfer of an operation without control flow; emits an error if there is none.
  mlir::FailureOr<Transfer> findTransfer(mlir::Operation *op) const;
  void setTransfer(mlir::Operation *op, Transfer transfer);

  int64_t ranks;
  unsigned depth = 0; ///< loops around what is placed
  llvm::DenseMap<mlir::Value, Layout> layouts;
  llvm::DenseMap<mlir::Operation *, Transfer> transfers;
};

} // namespace tutti::stablehlo

#endif // TUTTI_PASSES_STABLEHLO_PLACEMENT_H
