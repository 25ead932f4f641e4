// A number in shared memory that one side counts up and the other waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_SHM_SHAREDCOUNT_H
#define TUTTI_RUNTIME_SERVERS_SHM_SHAREDCOUNT_H

#include "runtime/waiting/Doorbell.h"

namespace tutti::runtime::servers {

/// One process counts, one waits; both prepare_to_sleep() first. Plain data, as a doorbell is.
struct SharedCount {
  alignas(128) std::atomic<uint32_t> value;
  Doorbell doorbell;
};

/// Who reads `value` sees all writes before it.
inline void count_to(SharedCount &count, uint32_t value) {
  notify(count.value, value, count.doorbell);
}

/// Waits until the count is not `seen` any more, first by polling, then asleep; at most some 50 ms.
/// Returns the count.
uint32_t wait_beyond(SharedCount &count, uint32_t seen);

/// Ends the waits of a process that is told otherwise what they wait for.
inline void wake(SharedCount &count) { ring(count.doorbell); }

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_SHM_SHAREDCOUNT_H
