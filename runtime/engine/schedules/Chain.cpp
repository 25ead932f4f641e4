// Times are such that whatever a rank receives goes on in the next step, so that it keeps one chunk
// of each kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/schedules/Chain.h"

#include <algorithm>

namespace tutti::runtime::schedules {
namespace {

constexpr int64_t chunk_bytes = int64_t(256) << 10;

/// The chains of the nodes; one of all ranks where there are less than two.
class Chains {
public:
  Chains(int32_t ranks, const Nodes &nodes) : ranks(ranks), nodes(nodes) {}

  int64_t count() const { return nodes.size() > 1 ? int64_t(nodes.size()) : 1; }
  int64_t size(int64_t chain) const {
    return nodes.size() > 1 ? int64_t(nodes[size_t(chain)].size()) : ranks;
  }
  /// -1 outside the chain or of no chain.
  int32_t member(int64_t chain, int64_t position) const {
    if (chain < 0 || chain >= count() || position < 0 || position >= size(chain))
      return -1;
    return nodes.size() > 1 ? nodes[size_t(chain)][size_t(position)] : int32_t(position);
  }
  int32_t last(int64_t chain) const {
    return chain < 0 || chain >= count() ? -1 : member(chain, size(chain) - 1);
  }
  /// The step in which the first sum of chain 0 is complete. No chain needs to begin before 0.
  int64_t first_sum() const {
    int64_t step = 0;
    for (int64_t chain = 0; chain < count(); ++chain)
      step = std::max(step, size(chain) - 1 - chain);
    return step;
  }
  std::pair<int64_t, int64_t> place_of(int32_t rank) const {
    if (nodes.size() < 2)
      return {0, rank};
    for (int64_t chain = 0;; ++chain) {
      const std::vector<int32_t> &members = nodes[size_t(chain)];
      auto found = std::find(members.begin(), members.end(), rank);
      if (found != members.end())
        return {chain, found - members.begin()};
    }
  }

private:
  int32_t ranks;
  const Nodes &nodes;
};

} // namespace

ChainLinks links_of(int32_t rank, int32_t ranks, const Nodes &nodes) {
  Chains chains(ranks, nodes);
  auto [chain, position] = chains.place_of(rank);
  int64_t after = chains.size(chain) - 1 - position; ///< ranks of the node after this one
  int64_t last_chain = chains.count() - 1;
  bool is_last = after == 0;
  ChainLinks links;
  links.before = chains.member(chain, position - 1);
  links.across = is_last ? chains.last(chain - 1) : -1;
  links.after = is_last ? chains.last(chain + 1) : chains.member(chain, position + 1);
  links.result_from = links.after;
  links.result_to = {links.across, links.before};
  links.ends_node = is_last && last_chain > 0;
  int64_t first_sum = chains.first_sum();
  links.up = first_sum + chain - after;
  links.down = first_sum + last_chain + (last_chain - chain) + after;
  return links;
}

int64_t chunk_of(const Row &row) {
  return std::max<int64_t>(1, std::min(row.elements, chunk_bytes / row.element_bytes));
}

Range ChainSchedule::chunk_at(int64_t index) const {
  if (index < 0 || index >= chunks)
    return {};
  return {index * chunk, std::min(elements, (index + 1) * chunk)};
}

void ChainSchedule::fill(Step &step, int64_t number) const {
  Range coming = chunk_at(number - links.up + 1), going = chunk_at(number - links.up);
  Range result_coming = chunk_at(number - links.down + 1);
  Range result_going = chunk_at(number - links.down);
  step.begin(number, coming);
  step.add(links.before, /*is_send=*/false, Lane::partials, coming);
  step.add(links.across, /*is_send=*/false, Lane::partials, coming);
  step.add(links.after, /*is_send=*/true, Lane::partials, going);
  step.add(links.result_from, /*is_send=*/false, Lane::results, result_coming);
  for (int32_t peer : links.result_to)
    step.add(peer, /*is_send=*/true, Lane::results, result_going);
}

} // namespace tutti::runtime::schedules
