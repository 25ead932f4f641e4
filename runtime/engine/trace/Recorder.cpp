// Which steps are recorded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/trace/Recorder.h"

#include <algorithm>

namespace tutti::runtime::trace {

void Recorder::begin_step(int64_t number) {
  step.store(number, std::memory_order_relaxed);
  bool is_wanted = range.has(number);
  if (is_wanted && left_out < 0 && !has_room())
    left_out = number;
  is_recording.store(is_wanted && left_out < 0, std::memory_order_relaxed);
  size_at_begin[0] = compute.size();
  size_at_begin[1] = communication.size();
}

void Recorder::end_step() {
  largest_step[0] = std::max(largest_step[0], compute.size() - size_at_begin[0]);
  largest_step[1] = std::max(largest_step[1], communication.size() - size_at_begin[1]);
  step.store(-1, std::memory_order_relaxed);
  is_recording.store(range.is_all() && left_out < 0, std::memory_order_relaxed);
}

/// A step more is kept in hand: what others do between steps needs room too.
bool Recorder::has_room() {
  return compute.room() > 2 * largest_step[0] && communication.room() > 2 * largest_step[1];
}

} // namespace tutti::runtime::trace
