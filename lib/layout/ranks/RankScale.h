// How often each value has been reduced over the ranks, and by what it has been multiplied.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_RANKS_RANKSCALE_H
#define TUTTI_LIB_LAYOUT_RANKS_RANKSCALE_H

#include "lib/layout/ranks/ScaleFactor.h"

#include <deque>

namespace tutti {

/// Whose values have come together after reductions over several groups.
enum class Coverage {
  Part,    ///< some ranks have not been reached
  Whole,   ///< each rank's value is in it, all equally often
  Twice,   ///< some ranks' values are in it more often than others, or all several times
  Unknown, ///< depends on what is known when the program starts
};

/// What reducing over `groups`, one after the other, brings together on every rank.
Coverage getCoverage(llvm::ArrayRef<GroupOpInterface> groups);

/// One operation that changed the scale of a value, and the one before it.
struct ScaleEvent {
  enum class Kind {
    Reduced,    ///< summed or averaged over ranks
    BySize,     ///< multiplied or divided by a number of ranks
    ByNumber,   ///< multiplied or divided by a number
    ByShare,    ///< multiplied by this rank's share of the batch
    Accumulated ///< added up over the turns of a loop
  };
  mlir::Operation *op;
  Kind kind;
  const ScaleEvent *before; ///< null for the first
};

/// What an operation of the way did: "reduces it over ranks".
llvm::StringRef spellScaleEvent(ScaleEvent::Kind kind);
/// The operation of the last event of one of `kinds` among `event` and those before it, or null.
mlir::Operation *findLast(const ScaleEvent *event, llvm::ArrayRef<ScaleEvent::Kind> kinds);
/// The last reduction among them, or null.
mlir::Operation *findReduction(const ScaleEvent *event);

/// What is wrong with a value whatever becomes of it as a gradient.
enum class ScaleFault {
  None,
  ReducedTwice,  ///< `op` reduces what `other` has reduced
  ReducedUpdate, ///< `op` reduces a variable whose gradient was reduced already
  NotSummed,     ///< `op` combines by a maximum, a minimum or a product
  OneRankOnly,   ///< `op` hands out the value of one rank
  KeptAtRoot,    ///< `op` leaves the sum on one rank
  MixedScale,    ///< `op` adds values of which one is multiplied by a number of ranks
  PartlyReduced, ///< `op` adds what `other` reduced to what no one has; gone once that is reduced
};

/// How ranks came to hold a value. Whether each has its part of it, and which, its place says.
struct HeldValue {
  /// Ranks have equal values, or each has its part of one.
  bool isShared = false;
  /// The values of all ranks of this group, one after the other.
  GroupOpInterface gathered;
  /// The reductions that made it, each over a group; empty for what nobody reduced.
  llvm::SmallVector<GroupOpInterface, 1> groups;
  /// Some rank's value came from another rank on the way, even where nobody knows how.
  bool wasShared = false;
};

/// By what a value was multiplied.
struct ValueScale {
  ScaleFactor factor;
  /// The value is a function of numbers and sizes of groups alone: it is its factor.
  bool isNumber = false;
  /// It may be added to a value of any scale: zeros, or what a rank keeps for itself.
  bool isFree = false;
  /// False where what happens to the value is not understood, so that its factor is not known.
  bool isCertain = true;
  /// It was multiplied by a scalar of which only the program knows the value.
  bool hasUnknownFactor = false;
  /// Over how many micro-batches it was added up.
  double turns = 1;
  /// Of how many micro-batches it was put together, which a sum of its rows adds up.
  double pieces = 1;
  /// How often it was multiplied by this rank's share of the batch.
  int shares = 0;
  /// It was computed by an operation of which nothing is known, of what was multiplied by a number
  /// that may be 1/N: what was a mean over the parts of a batch is not told from that once N is
  /// known.
  bool mayLackShare = false;
  /// It measures this rank's part of gradients in which shares count once: its sum over ranks takes
  /// no other.
  bool measuresShares = false;
  /// 1 for a count of samples or tokens: integers as floats, and sums of these; -1 for one over it.
  int count = 0;
  /// What was divided by `ScaleDiagnosis::ownCount` is where gradients begin: all gradients are
  /// multiples of it, also those that operations compute of which nothing else is known.
  bool isSeed = false;
};

/// What an error about a value tells.
struct ScaleDiagnosis {
  /// What each rank divided by a count of its own.
  mlir::Operation *ownCount = nullptr;
  /// The value that this one is a multiple of.
  mlir::Value origin;
  /// The optimizer of which it is the updated variable, if the gradient was reduced.
  mlir::Operation *update = nullptr;
  const ScaleEvent *last = nullptr;
  ScaleFault fault = ScaleFault::None;
  mlir::Operation *faultOp = nullptr, *faultOther = nullptr;

  void setFault(ScaleFault kind, mlir::Operation *op, mlir::Operation *other = nullptr);
};

/// What is known of one value, as a multiple of what it is where nothing is distributed. A value of
/// each rank's own, and one that all ranks compute alike, have the factor 1. A mean over ranks
/// keeps the factor; a sum multiplies it by the number of ranks. So the factor of a gradient that
/// is the mean over all samples is 1.
struct RankScale : HeldValue, ValueScale, ScaleDiagnosis {
  bool isTrivial() const { return isCertain && shares == 0 && factor.hasNoSizes(); }
  /// The mean over all samples: each rank's mean was weighted by its share, and all were summed.
  bool isWeightedMean() const {
    return isCertain && shares == 1 && isShared && !groups.empty() && factor.hasNoSizes();
  }
};

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_RANKS_RANKSCALE_H
