// The choice between a backend's own collective and a generic algorithm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/door/Dispatch.h"

#include "runtime/engine/algorithms/Algorithms.h"
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/WaitReporter.h"
#include "runtime/engine/reduction/ReductionOrder.h"
#include "runtime/support/Names.h"
#include "runtime/support/Stopwatch.h"

namespace tutti::runtime {
namespace {

bool is_float(int32_t type) {
  return type == TUTTI_F16 || type == TUTTI_BF16 || type == TUTTI_F32 || type == TUTTI_F64;
}

/// Whether the backend's own collective gives the bits that the context promises. Integers have one
/// right answer whatever the order, and not every library has it: OpenMPI 4.1 saturates sums of 8
/// and 16 bits where it uses AVX.
bool is_allowed(const tutti_context &context, const Communicator &communicator,
                const tutti_call &call) {
  if (!is_reduction(call.kind))
    return true;
  if (context.reduction_order == TUTTI_ORDER_NODES && is_float(call.type) &&
      ReductionOrder(context, communicator).spans_nodes())
    return false;
  return (communicator.backend->capabilities & TUTTI_BACKEND_IN_ORDER) ||
         (context.reduction_order == TUTTI_ORDER_NATIVE && is_float(call.type));
}

int32_t run(tutti_context *context, const Communicator &communicator, const tutti_call &call) {
  const tutti_backend &backend = *communicator.backend;
  tutti_backend_call own = backend.calls[call.kind];
  if (own && is_allowed(*context, communicator, call)) {
    int32_t status = own(communicator.handle, context, &call);
    if (status != TUTTI_UNSUPPORTED || !context->ok())
      return status;
  }
  algorithms::Algorithm generic = algorithms::find(call.kind);
  return generic ? generic({context, communicator, call.plan_entry}, call)
                 : int32_t(TUTTI_UNSUPPORTED);
}

} // namespace

void perform(tutti_context *context, const Communicator &communicator, const tutti_call &call,
             int64_t bytes, tutti_counters &counters) {
  uint64_t begin = Stopwatch::ticks();
  size_t place = context->flight.begin(call.plan_entry, context->step, bytes, begin);
  int32_t status = run(context, communicator, call);
  double seconds = Stopwatch::seconds_since(begin);
  if (context->ok()) // else it has not ended as it should
    context->flight.end(place, seconds);
  counters.communication_seconds += seconds;
  ++counters.collectives;
  counters.bytes += bytes;
  if (status != TUTTI_OK) // a backend that forgot to say why
    context->fail(status,
                  text(call_name(call.kind), " failed on backend '", communicator.backend->name,
                       "' (", context->where(call.plan_entry), ")"));
}

void describe(trace::Scope &scope, const tutti_call &call, int64_t bytes) {
  if (trace::Span *span = scope.details()) {
    span->plan_entry = call.plan_entry;
    span->bytes = bytes;
  }
}

void perform_beside(tutti_context *context, const Communicator &communicator,
                    const tutti_call &call, int64_t bytes, tutti_counters &counters) {
  trace::Scope scope(context->trace, trace::Kind::collective, call_name(call.kind));
  describe(scope, call, bytes);
  if (context->trace) {
    uint64_t ordinal = context->trace->next_performed();
    if (trace::Span *span = scope.details())
      span->ordinal = ordinal;
    scope.move_to(context->trace->communication);
  }
  WaitReporter::Scope waiting(context->waits.get(), WaitReporter::beside,
                              WaitReporter::Kind::collective, call.plan_entry);
  perform(context, communicator, call, bytes, counters);
}

} // namespace tutti::runtime
