// Which neighbour pushes which rows to servers, where all of them have the same gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_ROWSHARES_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_ROWSHARES_H

#include "lib/program/Program.h"

#include "dialects/ps/Ps.h"

namespace tutti::distribution {

/// The share of one of `count` neighbours of a list of rows: those of which the index modulo
/// `count` is its own number, `rank`; the others are marked as not used. Each row is in one share.
struct RowShare {
  mlir::Value indices; ///< of the whole list
  mlir::Value rank, count;
  /// All operations whose results differ between neighbours.
  llvm::SmallVector<mlir::Operation *> own;
};

/// The share that `push` brings, if it is such.
std::optional<RowShare> matchRowShare(ps::PushRowsOp push);

/// Lets each of `parts` neighbours, the ranks of the group `neighbours`, push its share of what all
/// of them have, and the servers count them as one worker. So servers get each row once of each
/// group, added up in the order of the groups, in as many requests as of other workers. Fails, with
/// an error, where a table is whole or asynchronous.
mlir::LogicalResult sharePushes(program::Program program, int64_t parts,
                                mlir::FlatSymbolRefAttr neighbours);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_ROWSHARES_H
