// Which way a reduction to all takes where ranks send messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_SCHEDULES_WAY_H
#define TUTTI_RUNTIME_ENGINE_SCHEDULES_WAY_H

#include "runtime/engine/schedules/Schedule.h"

namespace tutti::runtime::schedules {

enum class Way { slices, tree, chain };

/// By the number of ranks and the row alone, so that all ranks take the same.
Way way_of(int64_t ranks, const Row &row);

/// "slices", "tree" or "chain".
const char *name_of(Way way);

} // namespace tutti::runtime::schedules

#endif // TUTTI_RUNTIME_ENGINE_SCHEDULES_WAY_H
