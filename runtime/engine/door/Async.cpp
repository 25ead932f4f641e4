// The door's functions for collectives that run beside the caller.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/CommunicationThread.h"
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/Door.h"
#include "runtime/engine/door/Dispatch.h"

using namespace tutti::runtime;

void door::tutti_async_begin(tutti_context *context, int64_t future) {
  if (!context->ok())
    return;
  if (context->recorded_future)
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         text("async_begin ", future, " inside that of future ",
                              *context->recorded_future, "; end it first"));
  if (!context->communication_thread)
    context->communication_thread = std::make_unique<CommunicationThread>(context, perform_beside);
  if (context->communication_thread->is_pending(future))
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         text("async_begin: future ", future, " has not been awaited"));
  context->communication_thread->note(future);
  context->recorded_future = future;
}

void door::tutti_async_end(tutti_context *context) {
  if (context->ok() && !context->recorded_future)
    return context->fail(TUTTI_INVALID_ARGUMENT, "async_end without async_begin");
  context->recorded_future.reset();
}

void door::tutti_await(tutti_context *context, int64_t future) {
  bool is_known =
      context->communication_thread && context->communication_thread->is_pending(future);
  if (!is_known && context->ok())
    return context->fail(TUTTI_INVALID_ARGUMENT,
                         text("await: nothing was started for future ", future));
  if (!is_known)
    return;
  trace::Scope scope(context->trace, trace::Kind::await, "await");
  if (trace::Span *span = scope.details())
    span->future = future;
  // Also after a failure: the buffers are the caller's again.
  context->communication_thread->await(future);
}
