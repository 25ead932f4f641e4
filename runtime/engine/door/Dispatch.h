// Who carries out a call: the backend's own collective, or a generic algorithm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_DOOR_DISPATCH_H
#define TUTTI_RUNTIME_ENGINE_DOOR_DISPATCH_H

#include "runtime/engine/core/Transport.h"
#include "runtime/engine/trace/Recorder.h"
#include "tutti/context.h"

namespace tutti::runtime {

/// Runs a checked call of `bytes` payload on `communicator`, whichever way its order of reduction
/// asks for, and counts it in `counters`. Errors are recorded in `context`.
void perform(tutti_context *context, const Communicator &communicator, const tutti_call &call,
             int64_t bytes, tutti_counters &counters);

/// perform() on the communication thread.
void perform_beside(tutti_context *context, const Communicator &communicator,
                    const tutti_call &call, int64_t bytes, tutti_counters &counters);

/// Says in a trace what is done for `call`.
void describe(trace::Scope &scope, const tutti_call &call, int64_t bytes);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_DOOR_DISPATCH_H
