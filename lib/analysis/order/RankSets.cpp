// Each set is asked for once and kept once, however many ranks and operations share it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/RankSets.h"

using namespace mlir;
using namespace tutti;

RankSet RankSets::get(ArrayRef<int64_t> ranks) {
  auto found = known.find(ranks);
  if (found != known.end())
    return *found;
  RankSet set = ranks.copy(memory);
  known.insert(set);
  const int64_t *outside =
      llvm::find_if(set, [&](int64_t rank) { return rank < 0 || rank >= worldSize; });
  if (outside != set.end())
    beyond[set.data()] = *outside;
  return set;
}

std::optional<int64_t> RankSets::findBeyond(RankSet set) const {
  auto found = beyond.find(set.data());
  return found == beyond.end() ? std::nullopt : std::optional(found->second);
}

RankSets::Division &RankSets::getDivision(Operation *user, FlatSymbolRefAttr group) {
  auto [entry, isNew] =
      divisions.try_emplace({SymbolTable::getNearestSymbolTable(user), group}, Division());
  if (isNew)
    entry->second.group = findGroup(user, group);
  return entry->second;
}

/// The set of `members`, which is most often that of the first of them.
RankSet RankSets::get(const Division &division, ArrayRef<int64_t> members) {
  if (!members.empty())
    if (auto first = division.sets.find(members.front()); first != division.sets.end())
      if (first->second && *first->second == members)
        return *first->second;
  return get(members);
}

std::optional<RankSet> RankSets::getSetWith(int64_t rank, Operation *user,
                                            FlatSymbolRefAttr group) {
  Division &division = getDivision(user, group);
  if (!division.group)
    return std::nullopt;
  if (auto known = division.sets.find(rank); known != division.sets.end())
    return known->second;
  std::optional<RankSet> set;
  if (auto members = division.group.getMembersWith(rank, worldSize))
    set = get(division, *members);
  return division.sets[rank] = set;
}
