// Where a value lies across ranks: whole on all of them, cut into parts at known places, or each
// rank's own; and of which ranks' samples it is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_LAYOUT_RANKS_PLACE_H
#define TUTTI_LIB_LAYOUT_RANKS_PLACE_H

#include "dialects/interfaces/ranks/Communication.h"

namespace tutti {

/// Whether two groups divide the ranks in the same way, as far as their forms and, in worlds of a
/// known size, their members tell.
bool divideAlike(GroupOpInterface one, GroupOpInterface other);

/// One cut of a value along a dimension. With `group`, rank r of a set of n has the r-th of n equal
/// parts. Without it, parts begin at `offsets`, one for each rank of the world, which is no order
/// that a gather would put them together in.
struct Cut {
  int64_t dim;
  GroupOpInterface group;
  mlir::Attribute offsets; ///< null with `group`
  mlir::Operation *by;     ///< what cut it; null for what the program is handed in parts

  bool isOfRank() const { return group; }
  bool operator==(const Cut &other) const;
};

/// Which ranks' samples of one input reach a value.
struct Source {
  mlir::StringAttr input;               ///< null stands for variables of each rank's own
  bool isOwn = false;                   ///< on each rank its own
  bool isAll = false;                   ///< on each rank those of all
  llvm::SmallVector<int64_t, 1> some;   ///< on each rank those of these, in rising order
  mlir::Operation *chooser = nullptr;   ///< what took those of `some`
  mlir::Operation *exchanger = nullptr; ///< what gave each rank those of another
};

/// What is wrong with a value that becomes a gradient or a variable.
enum class PlaceFault {
  None,
  MixedParts, ///< `op` combines parts that were cut at other places
  MixedWhole, ///< `op` combines parts, which differ, with a value that all ranks have alike
  AddedParts, ///< `op` adds up parts that lie at other places
  Scrambled,  ///< `op` puts parts together that were cut otherwise
  Copies,     ///< `op` puts together what all ranks have alike
  NeedsWhole, ///< `op` updates a part by what only the whole tells
};

/// What is known of one value of a function.
struct Place {
  enum Kind {
    Replicate, ///< all ranks have it alike
    Shard,     ///< each rank has its part, as `cuts` say
    Own,       ///< each rank has its own
    Unclear,   ///< made of parts in a way that is not understood
  };
  Kind kind = Unclear;
  /// All elements are alike, so that its parts are, wherever they lie.
  bool isEven = false;
  llvm::SmallVector<Cut, 1> cuts; ///< of a Shard, the outermost first

  /// The values of all ranks of `group` along `dim`, `length` of each, one after the other.
  struct List {
    int64_t dim, length; ///< the length may be dynamic
    GroupOpInterface group;
    mlir::Operation *by;
    llvm::SmallVector<Source, 1> sources; ///< of one rank's value, before it was gathered
  };
  std::optional<List> list;
  /// It is made of the whole batch, gathered or read by every rank, so that its parts may be
  /// samples and not parts of a variable.
  bool isOfBatch = false;
  llvm::SmallVector<Source, 1> sources; ///< no more than a few: the last stands for the rest

  PlaceFault fault = PlaceFault::None;
  mlir::Operation *faultOp = nullptr;
  /// What may have moved values between ranks in a way that is not understood; or null.
  mlir::Operation *hiddenBy = nullptr;

  /// The first cut that no gather undoes, or null.
  const Cut *findOddCut() const;
  /// The group over which the last cut scattered it, or null.
  GroupOpInterface getScattered() const;
  void setFault(PlaceFault kind, mlir::Operation *op);
  /// Adds what reaches another value.
  void addSources(llvm::ArrayRef<Source> others);
};

} // namespace tutti

#endif // TUTTI_LIB_LAYOUT_RANKS_PLACE_H
