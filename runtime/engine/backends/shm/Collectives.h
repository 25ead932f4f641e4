// The collectives of shared memory, as the table of a backend has them, and messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_COLLECTIVES_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_COLLECTIVES_H

#include "runtime/engine/backends/shm/Team.h"
#include "tutti/backend.h"

namespace tutti::runtime::shm {

int32_t all_reduce(Team &team, tutti_context *context, const tutti_call &call);
int32_t broadcast(Team &team, tutti_context *context, const tutti_call &call);
int32_t all_gather(Team &team, tutti_context *context, const tutti_call &call);
int32_t reduce_scatter(Team &team, tutti_context *context, const tutti_call &call);
int32_t reduce(Team &team, tutti_context *context, const tutti_call &call);
int32_t gather(Team &team, tutti_context *context, const tutti_call &call);
int32_t scatter(Team &team, tutti_context *context, const tutti_call &call);
int32_t all_to_all(Team &team, tutti_context *context, const tutti_call &call);
int32_t all_to_all_v(Team &team, tutti_context *context, const tutti_call &call);
int32_t barrier(Team &team, tutti_context *context, const tutti_call &call);

/// Messages between two members; see PointToPoint.cpp.
int32_t send(Team &team, tutti_context *context, const tutti_call &call);
int32_t recv(Team &team, tutti_context *context, const tutti_call &call);
int32_t exchange(Team &team, tutti_context *context, int64_t plan_entry,
                 const tutti_transfer *transfers, int64_t count);

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_COLLECTIVES_H
