// How each communication of the shard dialect is said in collectives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_SHARD_SHARDMOVES_H
#define TUTTI_PASSES_CONVERSION_SHARD_SHARDMOVES_H

#include "passes/conversion/shard/Grid.h"

namespace tutti::conversion {

/// Where one operation of the shard dialect happens: its grid and the group along its axes.
struct Place {
  const Grid &grid;
  Grid::Axes axes;
  mlir::FlatSymbolRefAttr group;
  mlir::FlatSymbolRefAttr world;
};

/// Builds, at the builder's point, what `op` computes, and appends one value for each of its
/// results. Fails with an error at `op` where collectives have no equal.
mlir::LogicalResult convertShardOp(mlir::Operation *op, const Place &place,
                                   mlir::OpBuilder &builder,
                                   llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_SHARD_SHARDMOVES_H
