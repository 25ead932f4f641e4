// Messages between two members; see PointToPoint.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_POINTTOPOINT_H
#define TUTTI_RUNTIME_BACKENDS_SHM_POINTTOPOINT_H

#include "tutti/backend.h"

namespace tutti::runtime::shm {

class Team;

int32_t send(Team &team, tutti_context *context, const tutti_call &call);
int32_t recv(Team &team, tutti_context *context, const tutti_call &call);
int32_t exchange(Team &team, tutti_context *context, int64_t plan_entry,
                 const tutti_transfer *transfers, int64_t count);

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_POINTTOPOINT_H
