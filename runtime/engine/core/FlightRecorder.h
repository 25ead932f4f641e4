// The last collectives of a rank, which explain a failure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_FLIGHTRECORDER_H
#define TUTTI_RUNTIME_ENGINE_CORE_FLIGHTRECORDER_H

#include "runtime/support/Stopwatch.h"

#include <array>
#include <atomic>
#include <functional>
#include <string>

namespace tutti::runtime {

/// The last collectives of both threads of a rank, always kept: a collective costs one addition and
/// five stores. Any thread may read at any time; what it reads of a collective that is being
/// replaced may be of two.
class FlightRecorder {
public:
  static constexpr size_t capacity = 128;

  /// A collective begins, `ticks` by Stopwatch. Returns its place, for end().
  size_t begin(int64_t plan_entry, int64_t step, int64_t bytes, uint64_t ticks) {
    size_t place = count.fetch_add(1, std::memory_order_relaxed) % capacity;
    Entry &entry = entries[place];
    set(entry.seconds, -1.0);
    set(entry.plan_entry, plan_entry);
    set(entry.step, step);
    set(entry.bytes, bytes);
    set(entry.ticks, ticks);
    return place;
  }
  void end(size_t place, double seconds) { set(entries[place].seconds, seconds); }

  /// One line a collective, the oldest first: how long ago it began, its step (from 0), what
  /// `describe` says of its plan entry, its bytes, and how long it took, or that it has not ended.
  std::string text(const std::function<std::string(int64_t plan_entry)> &describe) const;

private:
  struct Entry {
    std::atomic<int64_t> plan_entry{0}, step{0}, bytes{0};
    std::atomic<uint64_t> ticks{0};
    std::atomic<double> seconds{0}; ///< negative: it has not ended
  };
  template <typename Value, typename Given> static void set(std::atomic<Value> &to, Given value) {
    to.store(value, std::memory_order_relaxed);
  }

  std::array<Entry, capacity> entries;
  std::atomic<size_t> count{0};
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_FLIGHTRECORDER_H
