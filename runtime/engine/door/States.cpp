// States that the host keeps in a file: compiled code says when their uses are over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/Context.h"
#include "runtime/engine/core/Door.h"
#include "runtime/engine/trace/Recorder.h"

using namespace tutti::runtime;

void door::tutti_release_states(tutti_context *context, int64_t use) {
  if (!context->ok() || !context->states)
    return;
  trace::Scope scope(context->trace, trace::Kind::phase, "write states");
  char message[1024] = "";
  int32_t status = context->states->release(context->states->self, use, message, sizeof message);
  if (status != TUTTI_OK)
    context->fail(status, message);
}
