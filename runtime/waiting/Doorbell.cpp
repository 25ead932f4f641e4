// Sleep by futex. A sleeper first says that it is about to, then makes all processors order their
// memory (membarrier), then looks once more: so a notifier's plain store and load cannot miss it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/Doorbell.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime {
namespace {

constexpr long sleep_nanoseconds =
    50'000'000; // waits look at the clock, and at what ends them, this often

} // namespace

void prepare_to_sleep() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0)
    has_barriers_on_demand.store(true);
}

void ring(Doorbell &doorbell) {
  doorbell.wake.fetch_add(1);
  syscall(SYS_futex, &doorbell.wake, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void sleep_on(Doorbell &doorbell, bool (*is_met)(void *), void *argument) {
  doorbell.sleepers.fetch_add(1);
  if (!needs_ordered_stores())
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  uint32_t seen = doorbell.wake.load();
  if (!is_met(argument)) {
    timespec limit = {0, sleep_nanoseconds};
    syscall(SYS_futex, &doorbell.wake, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
  doorbell.sleepers.fetch_sub(1);
}

} // namespace tutti::runtime
