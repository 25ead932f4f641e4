// What changed the scale of a value, and, for each rank, how often every other rank's value is in
// what it has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankScale.h"

using namespace mlir;
using namespace tutti;

//===----------------------------------------------------------------------===//
// What changed it
//===----------------------------------------------------------------------===//

llvm::StringRef tutti::spellScaleEvent(ScaleEvent::Kind kind) {
  using Kind = ScaleEvent::Kind;
  switch (kind) {
  case Kind::Reduced:
    return "reduces it over ranks";
  case Kind::BySize:
    return "multiplies or divides it by a number of ranks";
  case Kind::ByNumber:
    return "multiplies or divides it by a number";
  case Kind::ByShare:
    return "multiplies it by this rank's share of the batch";
  case Kind::Accumulated:
    return "adds it up over its turns";
  }
  llvm_unreachable("all kinds are covered");
}

Operation *tutti::findLast(const ScaleEvent *event, ArrayRef<ScaleEvent::Kind> kinds) {
  for (; event; event = event->before)
    if (llvm::is_contained(kinds, event->kind))
      return event->op;
  return nullptr;
}

Operation *tutti::findReduction(const ScaleEvent *event) {
  return findLast(event, ScaleEvent::Kind::Reduced);
}

void ScaleDiagnosis::setFault(ScaleFault kind, Operation *op, Operation *other) {
  if (fault != ScaleFault::None)
    return;
  fault = kind;
  faultOp = op;
  faultOther = other;
}

//===----------------------------------------------------------------------===//
// Whose values are in it
//===----------------------------------------------------------------------===//

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
static bool reduce(Counts &counts, GroupOpInterface group) {
  int64_t ranks = counts.size();
  Counts reduced = counts;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    auto set = group.getMembersWith(rank, ranks);
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
static bool areAcross(GroupOpInterface one, GroupOpInterface other) {
  GroupForm first = one.getGroupForm(), second = other.getGroupForm();
  bool areNodes = first.kind == GroupForm::PerNode && second.kind == GroupForm::AcrossNodes;
  bool areGrid = first.kind == GroupForm::Blocks && second.kind == GroupForm::Strided &&
                 first.length == second.length;
  return areNodes || areGrid;
}

Coverage tutti::getCoverage(ArrayRef<GroupOpInterface> groups) {
  if (groups.empty())
    return Coverage::Part;
  unsigned whole =
      llvm::count_if(groups, [](GroupOpInterface group) { return group.isOfWholeWorld(); });
  if (whole > 0)
    return whole == groups.size() && whole == 1 ? Coverage::Whole : Coverage::Twice;
  if (groups.size() == 2 && (areAcross(groups[0], groups[1]) || areAcross(groups[1], groups[0])))
    return Coverage::Whole;
  std::optional<int64_t> ranks = findWorldSizeAt(groups.front());
  if (!ranks)
    return groups.size() == 1 ? Coverage::Part : Coverage::Unknown;
  if (*ranks > kMostRanks)
    return Coverage::Unknown;
  Counts counts = countOwn(*ranks);
  for (GroupOpInterface group : groups)
    if (!reduce(counts, group))
      return Coverage::Unknown;
  return judge(counts);
}
