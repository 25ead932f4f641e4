// The processes of a shard.grid as ranks, and its axes as groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_SHARD_GRID_H
#define TUTTI_PASSES_CONVERSION_SHARD_GRID_H

#include "dialects/collective/Collective.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace tutti::conversion {

/// A grid of known lengths. Process (i, j, k) of a grid AxBxC is rank (i * B + j) * C + k.
class Grid {
public:
  explicit Grid(llvm::ArrayRef<int64_t> shape) : shape(shape) {}

  using Axes = llvm::ArrayRef<mlir::shard::GridAxis>;
  /// Sets of ranks, each in the order of its members; the sets in the order of their first members.
  using Sets = llvm::SmallVector<llvm::SmallVector<int64_t>>;

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getSize() const;
  /// The number of processes that differ along `axes` only.
  int64_t getSize(Axes axes) const;
  /// How far apart, in ranks, neighbours along `axis` are.
  int64_t getStride(mlir::shard::GridAxis axis) const;

  /// The processes that differ along `axes` only, numbered row by row in the order of `axes`.
  Sets getSets(Axes axes) const;

  /// The axes, in the order that numbers members, along which the sets lie; nothing if there are
  /// none.
  std::optional<llvm::SmallVector<mlir::shard::GridAxis>> findAxes(const Sets &sets) const;

  /// The place of the process with these indices along `axes` among them.
  int64_t linearize(llvm::ArrayRef<int64_t> indices, Axes axes) const;

private:
  llvm::SmallVector<int64_t> shape;
};

/// The members attribute that stands for `sets` in a world of `size` ranks, the shortest there is;
/// null where the one set is the world in its own order.
collective::MembersAttrInterface getMembers(mlir::MLIRContext *context, const Grid::Sets &sets,
                                            int64_t size);

/// The sets of `group` in a world of `size` ranks; nothing if they are known only at run time.
std::optional<Grid::Sets> getSets(collective::GroupOp group, int64_t size);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_SHARD_GRID_H
