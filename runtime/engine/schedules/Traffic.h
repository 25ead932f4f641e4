// What a schedule costs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_SCHEDULES_TRAFFIC_H
#define TUTTI_RUNTIME_ENGINE_SCHEDULES_TRAFFIC_H

#include "runtime/engine/schedules/Way.h"

namespace tutti::runtime::schedules {

struct Traffic {
  int64_t steps = 0;    ///< from the first message to the last
  int64_t messages = 0; ///< that are sent
  int64_t bytes = 0;    ///< that are sent
};

/// Of one rank that takes `way`, in rank order; its `steps` end with its own last message.
Traffic traffic_of(Way way, int32_t rank, int32_t ranks, const Row &row);

/// The most of each that a rank has.
Traffic busiest_traffic_of(Way way, int32_t ranks, const Row &row);

} // namespace tutti::runtime::schedules

#endif // TUTTI_RUNTIME_ENGINE_SCHEDULES_TRAFFIC_H
