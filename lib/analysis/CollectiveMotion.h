// Where collectives on tensors may go: the one rule that all passes ask that move or rewrite them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_COLLECTIVEMOTION_H
#define TUTTI_LIB_ANALYSIS_COLLECTIVEMOTION_H

#include "dialects/collective/Collective.h"
#include "lib/analysis/Uniformity.h"
#include "lib/diagnostics/Refusal.h"
#include "llvm/ADT/DenseSet.h"

namespace tutti {

/// Whether collectives around `op` keep their side of it. All ranks that reach a block run its
/// collectives in one order, whatever that order is; these are what must not be passed:
/// - what makes or ends groups: names mean other ranks after it;
/// - messages and barriers: a rank may wait in one while another has not come to the collective;
/// - operations with regions, and calls, that write the network or the group table, because ranks
///   may communicate differently in them; and functions whose body is not known.
/// A collective on tensors and an await, which stand in the block themselves, are not among them.
bool ordersCommunication(mlir::Operation *op);

/// Whether the name of a group that both mention means the same ranks at `one` and `other`: it is
/// declared, or both stand in one block and nothing between them orders communication.
bool meansSameRanks(mlir::FlatSymbolRefAttr group, mlir::Operation *one, mlir::Operation *other);

/// Whether `offset` is `length` times the number of this rank in the group of `op`, so that the
/// part of this rank begins there in a whole of parts of that length.
bool isOffsetOfOwnPart(mlir::OpFoldResult offset, int64_t length, collective::BucketOpInterface op);

/// What may be done to the collectives of one module. Blocks are looked at once; collectives may be
/// made, moved and erased while this object is asked, operations with regions may not.
class CollectiveMotion {
public:
  /// `uniformity` is that of `module` as it is now, and is not asked later.
  CollectiveMotion(mlir::Operation *module, const UniformityAnalysis &uniformity);

  /// Why `op` stays as it is and where it is; nothing if it may be moved within its block, merged,
  /// split or replaced. It stays if it is marked `collective.distinct`, or if not all ranks reach
  /// it: those that do not would communicate as before.
  Refusal whyStays(mlir::Operation *op) const;

  /// Whether `op` may be executed where `place`, of the same function, stands: it need not stay,
  /// and both stand in one block with nothing between them that orders communication.
  bool mayMove(mlir::Operation *op, mlir::Operation *place) const;

private:
  /// Blocks that ranks enter unequally often, or in no defined order.
  llvm::DenseSet<mlir::Block *> divergent;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_COLLECTIVEMOTION_H
