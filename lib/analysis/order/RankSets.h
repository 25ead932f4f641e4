// The sets of ranks that groups divide a world into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_ORDER_RANKSETS_H
#define TUTTI_LIB_ANALYSIS_ORDER_RANKSETS_H

#include "dialects/interfaces/ranks/Communication.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Allocator.h"

namespace tutti {

/// World ranks in the order of a group. Of equal sets there is one, so that they are told apart by
/// where they lie.
using RankSet = llvm::ArrayRef<int64_t>;

/// The sets of one world, as long as this object lives.
class RankSets {
public:
  explicit RankSets(int64_t worldSize) : worldSize(worldSize) {}

  /// The set of `ranks`.
  RankSet get(llvm::ArrayRef<int64_t> ranks);
  /// The set of the group that `rank` is in, empty if it is in none; nothing if that is not known.
  std::optional<RankSet> getSetWith(int64_t rank, mlir::Operation *user,
                                    mlir::FlatSymbolRefAttr group);
  /// A member of the set that the world does not have.
  std::optional<int64_t> findBeyond(RankSet set) const;
  int64_t getWorldSize() const { return worldSize; }

private:
  /// A group and, of each rank that has been asked about, its set.
  struct Division {
    GroupOpInterface group;
    llvm::DenseMap<int64_t, std::optional<RankSet>> sets;
  };
  RankSet get(const Division &division, llvm::ArrayRef<int64_t> members);
  Division &getDivision(mlir::Operation *user, mlir::FlatSymbolRefAttr group);

  int64_t worldSize;
  llvm::BumpPtrAllocator memory;
  llvm::DenseSet<RankSet> known;
  llvm::DenseMap<const int64_t *, int64_t> beyond; ///< by set
  llvm::DenseMap<std::pair<mlir::Operation *, mlir::Attribute>, Division> divisions;
};

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_ORDER_RANKSETS_H
