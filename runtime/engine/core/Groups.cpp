// Making and finding groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Groups.h"

#include "runtime/engine/core/Context.h"

#include <algorithm>

namespace tutti::runtime {

Group *Groups::find(int64_t number) {
  auto found = groups.find(number);
  return found == groups.end() ? nullptr : &found->second;
}

void Groups::create(tutti_context *context, int64_t number, std::vector<int32_t> members) {
  Group &group = groups[number];
  group.members = std::move(members);
  auto own = std::find(group.members.begin(), group.members.end(), context->rank);
  if (own == group.members.end())
    return;
  group.rank = int32_t(own - group.members.begin());
  join(context, group, group.communicator, context->scratch);
}

void Groups::join_twin(tutti_context *context, Group &group) {
  if (group.is_member() && !group.twin.is_joined())
    join(context, group, group.twin, context->scratch_beside);
}

void Groups::join(tutti_context *context, const Group &group, Communicator &communicator,
                  Scratch &scratch) {
  communicator.scratch = &scratch;
  int64_t occurrence = occurrences[group.members]++;
  for (const Transport *transport : {&context->node_transport, &context->world_transport}) {
    if (!transport->is_open())
      continue;
    std::vector<int32_t> positions = transport->positions_of(group.members);
    if (positions.empty())
      continue;
    communicator.join(context, *transport, std::move(positions), group.rank, occurrence);
    return;
  }
}

} // namespace tutti::runtime
