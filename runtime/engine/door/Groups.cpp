// The door's functions on groups: made, destroyed, asked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/CommunicationThread.h"
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/Door.h"

#include <algorithm>

using namespace tutti::runtime;

namespace {

/// Why `ranks` cannot be a group, or "".
std::string members_problem(const tutti_context &context, int64_t count, const int64_t *ranks) {
  if (count < 1 || !ranks)
    return "a group needs at least one rank";
  std::vector<bool> is_listed(context.size);
  for (int64_t i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= context.size)
      return text("rank ", ranks[i], " is not one of ", context.size, " ranks");
    if (is_listed[ranks[i]])
      return text("rank ", ranks[i], " is listed twice");
    is_listed[ranks[i]] = true;
  }
  return "";
}

} // namespace

void door::tutti_create_group(tutti_context *context, int64_t plan_entry, int64_t group,
                              int64_t count, const int64_t *ranks) {
  if (!context->ok())
    return;
  std::string problem = members_problem(*context, count, ranks);
  if (group <= TUTTI_GROUP_WORLD)
    problem = "numbers of groups are positive; 0 is the world";
  else if (context->groups.find(group))
    problem = "it exists already; destroy it first";
  if (!problem.empty())
    return context->fail(TUTTI_INVALID_ARGUMENT, text("create_group ", group, ": ", problem, " (",
                                                      context->where(plan_entry), ")"));
  context->groups.create(context, group, std::vector<int32_t>(ranks, ranks + count));
}

void door::tutti_destroy_group(tutti_context *context, int64_t plan_entry, int64_t group) {
  if (!context->ok())
    return;
  if (group <= TUTTI_GROUP_WORLD || !context->groups.find(group))
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         text("destroy_group ", group, ": there is no such group that could be ",
                              "destroyed (", context->where(plan_entry), ")"));
  if (context->communication_thread)
    context->communication_thread->drain();
  context->groups.destroy(group);
}

int64_t door::tutti_group_rank(const tutti_context *context, int64_t group) {
  const Group *found = context->groups.find(group);
  return found ? found->rank : -1;
}

int64_t door::tutti_group_size(const tutti_context *context, int64_t group) {
  const Group *found = context->groups.find(group);
  return found && found->is_member() ? int64_t(found->members.size()) : 0;
}

int64_t door::tutti_translate_rank(const tutti_context *context, int64_t from, int64_t rank,
                                   int64_t to) {
  const Group *source = context->groups.find(from), *target = context->groups.find(to);
  if (!source || !target || rank < 0 || rank >= int64_t(source->members.size()))
    return -1;
  auto found = std::find(target->members.begin(), target->members.end(), source->members[rank]);
  return found == target->members.end() ? -1 : found - target->members.begin();
}

int64_t door::tutti_local_rank(const tutti_context *context) { return context->local_rank; }

int64_t door::tutti_local_size(const tutti_context *context) { return context->local_size; }

const char *door::tutti_context_group_backend(const tutti_context *context, int64_t group) {
  const Group *found = context->groups.find(group);
  return found && found->communicator.is_joined() ? found->communicator.backend->name : "";
}
