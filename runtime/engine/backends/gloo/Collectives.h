// What Gloo does itself, reductions in its own order; and messages of programs. All else is the
// runtime's own, which makes no buffers for a call, and can name the rank that it waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_COLLECTIVES_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_COLLECTIVES_H

#include "runtime/engine/backends/gloo/Communicator.h"

namespace tutti::runtime::gloo_backend {

/// Reductions. They answer TUTTI_UNSUPPORTED and record nothing for f16 and bf16, whose sums would
/// be rounded at every step. Min and max keep a NaN.
int32_t all_reduce(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t reduce(Communicator &communicator, tutti_context *context, const tutti_call &call);

int32_t send(Communicator &communicator, tutti_context *context, const tutti_call &call);
int32_t receive(Communicator &communicator, tutti_context *context, const tutti_call &call);

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_COLLECTIVES_H
