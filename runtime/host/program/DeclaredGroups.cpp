// Which ranks make up the groups of a program, and telling the runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/DeclaredGroups.h"

#include "runtime/engine/core/Context.h"

#include <algorithm>
#include <map>

namespace tutti::runtime::worker {

using Set = std::vector<int64_t>;

namespace {

/// The ranks with the same `keys`, in the order of their first ranks.
std::vector<Set> ranks_by(const std::vector<int64_t> &keys) {
  std::vector<Set> sets;
  std::map<int64_t, size_t> places;
  for (size_t rank = 0; rank < keys.size(); ++rank) {
    auto [place, is_new] = places.emplace(keys[rank], sets.size());
    if (is_new)
      sets.emplace_back();
    sets[place->second].push_back(int64_t(rank));
  }
  return sets;
}

/// The number of each rank among the ranks of its node.
std::vector<int64_t> local_ranks(const std::vector<int64_t> &node_of_rank) {
  std::map<int64_t, int64_t> counts;
  std::vector<int64_t> numbers;
  for (int64_t node : node_of_rank)
    numbers.push_back(counts[node]++);
  return numbers;
}

} // namespace

Result<std::vector<Set>> sets_of(const DeclaredGroup &group,
                                 const std::vector<int64_t> &node_of_rank) {
  std::vector<Set> sets = group.sets;
  if (group.members == "per_node")
    sets = ranks_by(node_of_rank);
  else if (group.members == "across_nodes")
    sets = ranks_by(local_ranks(node_of_rank));
  for (const Set &set : sets)
    if (group.size > 0 && int64_t(set.size()) != group.size)
      return Error::make(TUTTI_BAD_PROGRAM, "the program relies on ", group.size,
                         " ranks in each set of group '", group.name, "' (", group.members,
                         "), but the set of rank ", set.front(), " has ", set.size());
  return sets;
}

Error create_groups(tutti_context *context, const Manifest &manifest) {
  for (const DeclaredGroup &group : manifest.groups) {
    Result<std::vector<Set>> sets = sets_of(group, context->node_of_rank);
    if (!sets)
      return sets.error();
    if (sets->empty())
      continue;
    auto has_this_rank = [&](const Set &set) {
      return std::find(set.begin(), set.end(), context->rank) != set.end();
    };
    auto own = std::find_if(sets->begin(), sets->end(), has_this_rank);
    const Set &told = own == sets->end() ? sets->front() : *own; // a rank of no set learns that
    tutti_create_group(context, -1, group.number, int64_t(told.size()), told.data());
  }
  return Error::success();
}

} // namespace tutti::runtime::worker
