// How processes of one machine wait for each other in shared memory: sleeping until a peer has made
// progress, and waking sleepers, at no cost to a peer that makes progress while nobody sleeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WAITING_DOORBELL_H
#define TUTTI_RUNTIME_WAITING_DOORBELL_H

#include <atomic>
#include <cstdint>

namespace tutti::runtime {

/// Where processes sleep: they wait for `wake` to change, which one that wakes them increments if
/// `sleepers` is not 0. Lock-free, and plain data: each maps it at another address.
struct alignas(128) Doorbell {
  std::atomic<uint32_t> wake;
  std::atomic<uint32_t> sleepers;
};

/// Once in each process before it waits or notifies: asks the system for barriers on demand, so
/// that notifying needs none. (All run on one system, so they get the same answer.)
void prepare_to_sleep();

/// Until the process has asked for them, it must order its own stores.
inline std::atomic<bool> has_barriers_on_demand{false};
inline bool needs_ordered_stores() {
  return !has_barriers_on_demand.load(std::memory_order_relaxed);
}

/// Wakes all who sleep in `doorbell`, so that they check their conditions again.
void ring(Doorbell &doorbell);
/// Stores `value` in `word`, and wakes those who sleep in `doorbell`. Who reads the value sees
/// all writes before it.
template <typename T> void notify(std::atomic<T> &word, T value, Doorbell &doorbell) {
  if (needs_ordered_stores())
    word.store(value);
  else
    word.store(value, std::memory_order_release);
  // The order of a sleeper's barrier: first the word, then the doorbell.
  asm volatile("" ::: "memory");
  if (doorbell.sleepers.load(needs_ordered_stores() ? std::memory_order_seq_cst
                                                    : std::memory_order_relaxed) != 0)
    ring(doorbell);
}

/// Sleeps in `doorbell` until a notification or for 50 ms, unless is_met() holds already.
void sleep_on(Doorbell &doorbell, bool (*is_met)(void *), void *argument);
template <typename IsMet> void sleep_on(Doorbell &doorbell, IsMet is_met) {
  sleep_on(
      doorbell, [](void *given) { return bool((*static_cast<IsMet *>(given))()); }, &is_met);
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

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_WAITING_DOORBELL_H
