// Going to sleep until a peer has done something, and waking those who do, at no cost to a peer
// that does something while nobody sleeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_SLEEP_H
#define TUTTI_RUNTIME_BACKENDS_SHM_SLEEP_H

#include "runtime/backends/shm/ControlBlock.h"

namespace tutti::runtime::shm {

/// Once in each process before it waits or notifies: asks the system for barriers on demand, so
/// that notifying needs none. (All ranks run on one system, so they get the same answer.)
void prepare_to_sleep();

/// Until the process has asked for them, it must order its own stores.
inline std::atomic<bool> has_barriers_on_demand{false};
inline bool needs_ordered_stores() {
  return !has_barriers_on_demand.load(std::memory_order_relaxed);
}

/// Wakes all who sleep in `bed`, so that they look again.
void wake_all(Bed &bed);
/// Lets others see `value` in `word`, and wakes those who sleep in `bed`. All writes before are
/// seen by those who see it.
template <typename T> void notify(std::atomic<T> &word, T value, Bed &bed) {
  if (needs_ordered_stores())
    word.store(value);
  else
    word.store(value, std::memory_order_release);
  asm volatile("" ::: "memory"); // the order of a sleeper's barrier: first the word, then the bed
  if (bed.sleepers.load(needs_ordered_stores() ? std::memory_order_seq_cst
                                               : std::memory_order_relaxed) != 0)
    wake_all(bed);
}

/// Sleeps in `bed` until a notification or for 50 ms, unless is_met() holds already.
void doze(Bed &bed, bool (*is_met)(void *), void *argument);
template <typename IsMet> void doze(Bed &bed, IsMet is_met) {
  doze(
      bed, [](void *given) { return bool((*static_cast<IsMet *>(given))()); }, &is_met);
}

/// Tells the processor that this is a loop of polling.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Fetches the line at `place` so that the next write to it finds it there.
inline void fetch_to_write(const void *place) {
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(place)); // on processors without it, nothing
#endif
}

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_SLEEP_H
