// Polling, then a futex.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/shm/SharedCount.h"

#include "runtime/support/Stopwatch.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime::servers {
namespace {

// A hand-over takes a microsecond while the other side polls, and some 25 when it sleeps. Who
// yields instead waits for all others who want the processor; who sleeps is soon before them.
constexpr double seconds_of_polling = 10e-6;
constexpr long sleep_nanoseconds = 50'000'000;

/// Tells the processor that this is a loop of polling.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

} // namespace

void count_to(SharedCount &count, uint32_t value) {
  count.value.store(value); // in order with the load: who is about to sleep sees one or is seen
  if (count.sleepers.load() != 0)
    wake(count);
}

void wake(SharedCount &count) {
  syscall(SYS_futex, &count.value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

uint32_t wait_beyond(SharedCount &count, uint32_t seen) {
  Stopwatch since;
  do {
    if (uint32_t value = count.value.load(std::memory_order_acquire); value != seen)
      return value;
    relax();
  } while (since.seconds() < seconds_of_polling);
  count.sleepers.fetch_add(1);
  if (count.value.load() == seen) {
    timespec limit = {0, sleep_nanoseconds};
    syscall(SYS_futex, &count.value, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
  count.sleepers.fetch_sub(1);
  return count.value.load();
}

} // namespace tutti::runtime::servers
