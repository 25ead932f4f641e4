// A gradient that is a list of rows, reduced over the ranks as a whole table, and what to put in
// the place of that reduction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SPARSE_SPARSEREDUCTION_H
#define TUTTI_PASSES_DISTRIBUTION_SPARSE_SPARSEREDUCTION_H

#include "dialects/train/Train.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/program/GlobalShapes.h"
#include "lib/program/Program.h"

namespace tutti::distribution {

/// One operand of an all_reduce that a `train.scatter_rows` makes.
class SparseReduction {
public:
  /// Operand `index` of `reduction`, if it is a sum or mean of such tables.
  static std::optional<SparseReduction> find(collective::BucketOpInterface reduction,
                                             unsigned index);

  /// The reduced table, and where the table of this rank is made.
  mlir::Value getReduced() { return reduction.getOutputs()[index]; }
  mlir::Location getTableLoc() { return scatter.getLoc(); }

  /// Whether the number of rows follows from the batch. A list that is the same in every step is
  /// most often the whole table.
  bool followsBatch() { return scatter.getIndices().getType().isDynamicDim(0); }

  /// Bytes that the rows of all ranks have together, with their indices; none if the global batch
  /// is not known. Each rank receives (N-1)/N of them.
  std::optional<int64_t> getRowsBytes(program::GlobalShapes &shapes);

  /// Bytes of the table, twice: a rank receives (N-1)/N of the table to sum its part, and the same
  /// again when the sums go round.
  int64_t getTableBytes();

  /// Whether nothing but the reduction takes the table.
  bool isOnlyUse();

  /// Whether what scales the table is known where it is made.
  bool canStandAtTable();

  /// Builds what takes the place of the reduced table, where the table is made: each rank's rows
  /// merged, those of all ranks joined in rank order, merged, divided by the number of ranks if the
  /// mean is wanted, and scattered. With `longest`, ranks hold unequal parts of its batch. Needs
  /// canStandAtTable().
  mlir::Value build(mlir::FlatSymbolRefAttr longest);

  /// Erases the table of this rank, once nothing takes it. Needs isOnlyUse().
  void eraseTable();

  collective::BucketOpInterface getReduction() const { return reduction; }

private:
  mlir::Value createRanks(mlir::OpBuilder &builder, mlir::Location loc);

  collective::BucketOpInterface reduction;
  unsigned index;
  train::ScatterRowsOp scatter;
  llvm::SmallVector<train::ScaleOp> scales; ///< from the table towards the reduction
};

/// Why `gradient`, in which rows of lookups are added up, is no list of rows, with the names of the
/// nodes that look them up. Nothing if no lookup is in it, or one list of rows alone.
Refusal whyNoList(mlir::Value gradient);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SPARSE_SPARSEREDUCTION_H
