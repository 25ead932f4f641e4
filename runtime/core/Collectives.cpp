// The door's collectives: check the call, let the backend or the generic algorithm do it, count it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tutti/collectives.h"

#include "runtime/core/Context.h"
#include "runtime/core/GenericCollectives.h"
#include "runtime/core/Names.h"
#include "runtime/core/Reduction.h"

#include <chrono>

using namespace tutti::runtime;

namespace {

/// One collective on one context: what all of them check and count.
class Call {
public:
  Call(tutti_context *context, const char *name, int64_t group, tutti_call call)
      : context(context), name(name), call(call) {
    if (context->ok())
      check(group);
  }

  /// Runs `own` of the backend, or `generic` if it has none, unless the context has failed.
  template <typename Own, typename Generic> void run(Own own, Generic generic) {
    if (!context->ok())
      return;
    auto begin = std::chrono::steady_clock::now();
    int32_t status = own ? own(context->state, context, &call) : generic(context, call);
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    context->counters.communication_seconds += taken.count();
    ++context->counters.collectives;
    context->counters.bytes += bytes;
    if (status != TUTTI_OK) // a backend that forgot to say why
      context->fail(status, text(name, " failed (", context->where(call.plan_entry), ")"));
  }

  void refuse_reduction() {
    std::string problem = reduction_problem(call.type, call.reduction);
    if (!problem.empty())
      refuse(TUTTI_UNSUPPORTED, problem);
  }

  void refuse_root() {
    if (call.root < 0 || call.root >= context->size)
      refuse(TUTTI_INVALID_ARGUMENT,
             text("root ", call.root, " is not one of ", context->size, " ranks"));
  }

private:
  void refuse(int32_t status, const std::string &problem) {
    context->fail(status, text(name, ": ", problem, " (", context->where(call.plan_entry), ")"));
  }

  void check(int64_t group) {
    if (group != TUTTI_GROUP_WORLD)
      return refuse(TUTTI_UNSUPPORTED, text("group ", group, " is unknown; only 0, the world, is"));
    if (type_bytes(call.type) == 0)
      return refuse(TUTTI_INVALID_ARGUMENT, text("element type ", call.type, " is unknown"));
    if (call.count < 0)
      return refuse(TUTTI_INVALID_ARGUMENT, text("a bucket of ", call.count, " buffers"));
    for (int64_t i = 0; i < call.count; ++i)
      check_buffer(i);
  }

  void check_buffer(int64_t i) {
    if (call.elements[i] < 0)
      return refuse(TUTTI_INVALID_ARGUMENT,
                    text("buffer ", i, " has ", call.elements[i], " elements"));
    if (call.elements[i] > 0 && (!call.sources[i] || !call.destinations[i]))
      return refuse(TUTTI_INVALID_ARGUMENT, text("buffer ", i, " is null"));
    bytes += call.elements[i] * type_bytes(call.type);
  }

  tutti_context *context;
  const char *name;
  tutti_call call;
  int64_t bytes = 0;
};

} // namespace

void tutti_all_reduce(tutti_context *context, int64_t plan_entry, int64_t group, int32_t reduction,
                      int32_t type, int64_t count, const void *const *sources,
                      void *const *destinations, const int64_t *elements) {
  Call call(context, "all_reduce", group,
            {plan_entry, type, reduction, 0, 0, count, sources, destinations, elements});
  call.refuse_reduction();
  call.run(context->backend ? context->backend->all_reduce : nullptr, generic_all_reduce);
}

void tutti_broadcast(tutti_context *context, int64_t plan_entry, int64_t group, int32_t root,
                     int32_t type, int64_t count, const void *const *sources,
                     void *const *destinations, const int64_t *elements) {
  Call call(context, "broadcast", group,
            {plan_entry, type, 0, root, 0, count, sources, destinations, elements});
  call.refuse_root();
  call.run(context->backend ? context->backend->broadcast : nullptr, generic_broadcast);
}

void tutti_all_gather(tutti_context *context, int64_t plan_entry, int64_t group, int32_t type,
                      int64_t count, const void *const *sources, void *const *destinations,
                      const int64_t *elements) {
  Call call(context, "all_gather", group,
            {plan_entry, type, 0, 0, 0, count, sources, destinations, elements});
  auto none = [](tutti_context *, const tutti_call &) { return int32_t(TUTTI_UNSUPPORTED); };
  call.run(context->backend ? context->backend->all_gather : nullptr, none);
}

void tutti_reduce_scatter(tutti_context *context, int64_t plan_entry, int64_t group,
                          int32_t reduction, int32_t type, int64_t count,
                          const void *const *sources, void *const *destinations,
                          const int64_t *elements) {
  Call call(context, "reduce_scatter", group,
            {plan_entry, type, reduction, 0, 0, count, sources, destinations, elements});
  call.refuse_reduction();
  call.run(context->backend ? context->backend->reduce_scatter : nullptr, generic_reduce_scatter);
}

void tutti_barrier(tutti_context *context, int64_t plan_entry, int64_t group) {
  Call call(context, "barrier", group,
            {plan_entry, TUTTI_U8, 0, 0, 0, 0, nullptr, nullptr, nullptr});
  auto own = [](void *state, tutti_context *context, const tutti_call *call) {
    return context->backend->barrier(state, context, call->plan_entry);
  };
  auto generic = [](tutti_context *context, const tutti_call &call) {
    return generic_barrier(context, call.plan_entry);
  };
  using Own = int32_t (*)(void *, tutti_context *, const tutti_call *);
  call.run(context->backend && context->backend->barrier ? Own(own) : nullptr, generic);
}
