// Counting, for each rank, how often every other rank's value is in what it has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/GradientScale.h"

using namespace mlir;
using namespace tutti;
using tutti::collective::GroupOp;

/// Row r counts how often each rank's value is in what rank r has.
using Counts = SmallVector<SmallVector<unsigned>>;

/// Beyond this many ranks counting takes too long.
static constexpr int64_t kMostRanks = 512;

static Counts countOwn(int64_t ranks) {
  Counts counts(ranks, SmallVector<unsigned>(ranks, 0));
  for (int64_t rank = 0; rank < ranks; ++rank)
    counts[rank][rank] = 1;
  return counts;
}

/// `counts` after a reduction over `group`; false where its sets are not known.
static bool reduce(Counts &counts, GroupOp group) {
  int64_t ranks = counts.size();
  Counts reduced = counts;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    auto set = group.getSetOf(rank);
    if (!set)
      return false;
    if (set->empty()) // takes no part, and keeps what it has
      continue;
    llvm::fill(reduced[rank], 0);
    for (int64_t member : *set)
      for (int64_t from = 0; from < ranks; ++from)
        reduced[rank][from] += counts[member][from];
  }
  counts = std::move(reduced);
  return true;
}

static Coverage judge(const Counts &counts) {
  unsigned least = UINT_MAX, most = 0;
  for (const auto &row : counts)
    for (unsigned count : row) {
      least = std::min(least, count);
      most = std::max(most, count);
    }
  if (most > 1)
    return Coverage::Twice;
  return least == 0 ? Coverage::Part : Coverage::Whole;
}

/// For any number of ranks: a way to divide them, and the way across it.
static bool areAcross(GroupOp one, GroupOp other) {
  auto is = [&](auto *first, auto *second) {
    using First = std::remove_pointer_t<decltype(first)>;
    using Second = std::remove_pointer_t<decltype(second)>;
    return isa_and_nonnull<First>(one.getMembersAttr()) &&
           isa_and_nonnull<Second>(other.getMembersAttr());
  };
  using namespace collective;
  auto blocks = dyn_cast_or_null<BlocksAttr>(one.getMembersAttr());
  auto strided = dyn_cast_or_null<StridedAttr>(other.getMembersAttr());
  return is((PerNodeAttr *)nullptr, (AcrossNodesAttr *)nullptr) ||
         (blocks && strided && blocks.getLength() == strided.getStride());
}

Coverage tutti::getCoverage(ArrayRef<GroupOp> groups) {
  if (groups.empty())
    return Coverage::Part;
  unsigned whole = llvm::count_if(groups, [](GroupOp group) { return group.isWholeWorld(); });
  if (whole > 0)
    return whole == groups.size() && whole == 1 ? Coverage::Whole : Coverage::Twice;
  if (groups.size() == 2 && (areAcross(groups[0], groups[1]) || areAcross(groups[1], groups[0])))
    return Coverage::Whole;
  GroupOp first = groups.front();
  std::optional<int64_t> ranks = first.getWorldSize();
  if (!ranks)
    return groups.size() == 1 ? Coverage::Part : Coverage::Unknown;
  if (*ranks > kMostRanks)
    return Coverage::Unknown;
  Counts counts = countOwn(*ranks);
  for (GroupOp group : groups)
    if (!reduce(counts, group))
      return Coverage::Unknown;
  return judge(counts);
}
