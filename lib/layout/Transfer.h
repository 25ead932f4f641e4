// What one operation makes of the layouts of its operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_TRANSFER_H
#define TUTTI_LIB_LAYOUT_TRANSFER_H

#include "dialects/interfaces/sharding/ShardingRule.h"
#include "lib/layout/Layout.h"

namespace tutti {

/// As what an operation takes its operands, and what its results are then. Where `operands` differ
/// from what there is, the value must be converted before it is used.
struct Transfer {
  llvm::SmallVector<Layout> operands, results;
};

/// The transfer of `op`, which has `rule`, from operands that lie as `operands` say (none is Own).
/// One factor of the operation is split at most; operands that lie along another one are taken
/// whole. A sum that is still to be taken passes where the operation is linear in it, and is
/// completed where it is not; so does the scale. Linear in the operands.
///
/// `parts` is how many parts there are, of ranks; of a batch it is not known. Where it is, a part
/// is a block of one factor of its dimension, in each of the `outer` ranges that the factors before
/// it make, and only zeros count as one summand though all parts have them: what adds anything else
/// to a sum over parts is not split.
Transfer transfer(mlir::Operation *op, const ShardingRule &rule, llvm::ArrayRef<Layout> operands,
                  int64_t parts = mlir::ShapedType::kDynamic);

/// From what `op`, which has `rule`, computes one of `parts` blocks of its result number `result`,
/// which lies as `wanted` says, and what its other results are then: from blocks of the operands
/// that have the factor, and from all of those that lack it. Results that sum over the factor are
/// Partial. Results have a scale if the operation divides by the number of elements of the factor,
/// as in `transfer`. None where a block depends on more.
std::optional<Transfer> transferBack(mlir::Operation *op, const ShardingRule &rule, unsigned result,
                                     const Layout &wanted, int64_t parts);

/// What a quotient is divided by; null for what is no quotient.
mlir::Value findDivisor(mlir::Operation *op);

/// Whether every element of `value` is the same: a constant, or a scalar that is repeated.
bool isSplat(mlir::Value value);

/// Whether every element of `value` is zero, as its producers say.
bool isZero(mlir::Value value);

/// Whether `op`, which may be null, adds two values of its own type, as gradients are added.
bool isSum(mlir::Operation *op);

/// The operation that adds to `carried` first, if `yielded` is that sum with further summands added
/// to it one after another, of which nothing else takes the sums before the last; else null. A loop
/// over micro-batches adds up so what it carries: one summand a turn, or those of micro-batches
/// that are computed together.
mlir::Operation *findFirstSum(mlir::Value carried, mlir::Value yielded);

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_TRANSFER_H
