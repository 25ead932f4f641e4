// Polling, then a doorbell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/SharedCount.h"

#include "runtime/support/Stopwatch.h"

namespace tutti::runtime::servers {

// A hand-over takes a microsecond while the other side polls, and some 25 when it sleeps. Who
// yields instead waits for all others who want the processor; who sleeps is soon before them.
static constexpr double seconds_of_polling = 10e-6;

uint32_t wait_beyond(SharedCount &count, uint32_t seen) {
  Stopwatch since;
  do {
    if (uint32_t value = count.value.load(std::memory_order_acquire); value != seen)
      return value;
    relax();
  } while (since.seconds() < seconds_of_polling);
  sleep_on(count.doorbell, [&] { return count.value.load() != seen; });
  return count.value.load();
}

} // namespace tutti::runtime::servers
