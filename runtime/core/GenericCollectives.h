// Collectives for backends that do not bring their own: each stands on the backend's all_gather.
// They are right for every world size and cost N times the bytes, so a backend replaces those that
// matter to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_CORE_GENERICCOLLECTIVES_H
#define TUTTI_RUNTIME_CORE_GENERICCOLLECTIVES_H

#include "tutti/backend.h"

namespace tutti::runtime {

int32_t generic_all_reduce(tutti_context *context, const tutti_call &call);
int32_t generic_broadcast(tutti_context *context, const tutti_call &call);
int32_t generic_reduce_scatter(tutti_context *context, const tutti_call &call);
int32_t generic_barrier(tutti_context *context, int64_t plan_entry);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_CORE_GENERICCOLLECTIVES_H
