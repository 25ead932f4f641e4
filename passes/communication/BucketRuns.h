// The collectives of a block in the order in which they can start, and which of them can wait for
// each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_BUCKETRUNS_H
#define TUTTI_PASSES_COMMUNICATION_BUCKETRUNS_H

#include "lib/analysis/CollectiveMotion.h"
#include "lib/diagnostics/Refusal.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace tutti::communication {

/// The name of the node that `op`, or what it takes, belongs to; else of the operation.
llvm::StringRef nameOf(collective::BucketOpInterface op);

/// A collective of one input that may be in a bucket.
struct BucketMember {
  collective::BucketOpInterface op;
  mlir::Operation *fence; ///< the last op before it that orders communication; null: none
  /// Position in the block of the op after which it can begin: what makes the input, or the fence;
  /// -1 without one.
  int64_t ready;
  int64_t place; ///< its own position in the block
  /// Position of the first op before which it must be complete: what uses the result, or orders
  /// communication.
  int64_t needed;
  /// The name of that op, which may be gone once other members are fused; none: nothing needs it.
  std::optional<mlir::OperationName> neededBy;
  bool isNeededByFence; ///< it orders communication
  int64_t bytes;        ///< of the larger of input and result, as far as they are known

  llvm::StringRef name() const { return nameOf(op); }
};

/// Members any of which may be one bucket: the last of them is ready before the first is needed.
struct BucketRun {
  llvm::SmallVector<BucketMember, 0> members; ///< by readiness, then by name; by place if late
  bool isCut = false; ///< another could not join: a member is needed before it is ready

  int64_t bytes() const;
  /// Whether other gathers take the same parts (collective.regather). Members are in the order of
  /// the program. A bucket of them stands where its first member does, to be short-lived.
  bool isLate() const;
  /// Whether a bucket stands where it can begin though it has one member: where others are made.
  bool movesLoneMembers() const { return members.size() > 1 && !isLate(); }
};

/// Something that stays alone, and why.
struct LoneCollective {
  collective::BucketOpInterface op;
  Refusal refusal;
};

/// What stands in one block.
struct BlockCollectives {
  llvm::SmallVector<BucketRun, 0> runs;
  llvm::SmallVector<LoneCollective, 0> alone;
};

/// Finds the collectives that stand in `block` itself and that `motion` lets move, and makes runs
/// of those of equal key. If the next member would be ready too late for one of the run, the run
/// is cut: the members that are needed by then are a run of their own. Members of a run never
/// depend on one another. Late members are a run between what orders communication. Takes time n
/// log n in the number of operations and uses.
BlockCollectives findBucketRuns(mlir::Block &block, const CollectiveMotion &motion);

/// The same of all blocks of `module` but its own.
std::vector<BlockCollectives> findAllBucketRuns(mlir::ModuleOp module,
                                                const CollectiveMotion &motion);

/// The run with the most bytes that is not late, the first one of several; null if there is none.
const BucketRun *findMainRun(llvm::ArrayRef<BlockCollectives> blocks);

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_BUCKETRUNS_H
