// The checks of a call, and the choice between now and later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/door/Call.h"

#include "runtime/engine/core/CommunicationThread.h"
#include "runtime/engine/core/WaitReporter.h"
#include "runtime/engine/door/Dispatch.h"
#include "runtime/engine/reduction/Reduction.h"
#include "runtime/support/Names.h"

namespace tutti::runtime {

/// What every MPI library has at least, in practice.
constexpr int64_t largest_tag = (int64_t(1) << 28) - 1;

Call::Call(tutti_context *context, int64_t group_number, const tutti_call &call)
    : context(context), call(call) {
  if (!context->ok())
    return;
  group = context->groups.find(group_number);
  if (!group)
    refuse(TUTTI_INVALID_ARGUMENT, text("group ", group_number, " does not exist"));
  else if (group->is_member())
    check_buffers();
}

void Call::run() {
  if (!takes_part())
    return;
  if (context->recorded_future)
    return start();
  trace::Scope scope(context->trace, trace::Kind::collective, call_name(call.kind));
  describe(scope, call, bytes);
  WaitReporter::Scope waiting(context->waits.get(), WaitReporter::caller,
                              WaitReporter::Kind::collective, call.plan_entry);
  perform(context, group->communicator, call, bytes, context->counters);
}

void Call::start() {
  trace::Scope scope(context->trace, trace::Kind::start, call_name(call.kind));
  describe(scope, call, bytes);
  if (trace::Span *span = scope.details())
    span->future = *context->recorded_future;
  context->groups.join_twin(context, *group);
  if (!context->ok())
    return;
  if (context->trace) {
    uint64_t ordinal = context->trace->next_started();
    if (trace::Span *span = scope.details())
      span->ordinal = ordinal;
  }
  context->communication_thread->start(*context->recorded_future, *group, call, bytes);
}

Call &Call::reduces() {
  std::string problem = reduction_problem(call.type, call.reduction);
  if (!problem.empty())
    refuse(TUTTI_UNSUPPORTED, problem);
  return *this;
}

Call &Call::has_root() {
  if (takes_part() && !is_rank(call.peer))
    refuse(TUTTI_INVALID_ARGUMENT, text("root ", call.peer, " is not one of ", size(), " ranks"));
  return *this;
}

Call &Call::has_peer() {
  if (takes_part() && !is_rank(call.peer))
    refuse(TUTTI_INVALID_ARGUMENT, text("peer ", call.peer, " is not one of ", size(), " ranks"));
  if (takes_part() && call.peer == rank())
    refuse(TUTTI_INVALID_ARGUMENT, text("rank ", call.peer, " is its own peer"));
  if (takes_part() && (call.tag < 0 || call.tag > largest_tag))
    refuse(TUTTI_INVALID_ARGUMENT, text("tag ", call.tag, " is not one of 0 to ", largest_tag));
  return *this;
}

Call &Call::refuse(int32_t status, const std::string &problem) {
  context->fail(status, text(call_name(call.kind), ": ", problem, " (",
                             context->where(call.plan_entry), ")"));
  return *this;
}

void Call::count_elements(int64_t elements) { bytes += elements * type_bytes(call.type); }

void Call::check_buffers() {
  if (type_bytes(call.type) == 0)
    refuse(TUTTI_INVALID_ARGUMENT, text("element type ", call.type, " is unknown"));
  else if (call.count < 0)
    refuse(TUTTI_INVALID_ARGUMENT, text("a bucket of ", call.count, " buffers"));
  for (int64_t i = 0; i < call.count; ++i)
    check_buffer(i);
}

void Call::check_buffer(int64_t i) {
  if (call.elements[i] < 0)
    refuse(TUTTI_INVALID_ARGUMENT, text("buffer ", i, " has ", call.elements[i], " elements"));
  bool lacks_source = call.sources && !call.sources[i];
  bool lacks_destination = call.destinations && !call.destinations[i];
  if (call.elements[i] > 0 && (lacks_source || lacks_destination))
    refuse(TUTTI_INVALID_ARGUMENT, text("buffer ", i, " is null"));
  count_elements(call.elements[i]);
}

} // namespace tutti::runtime
