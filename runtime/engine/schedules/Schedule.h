// The words of schedules. A schedule says what one rank sends and receives, step by step; the
// algorithms carry it out and Traffic counts it, so both say the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_SCHEDULES_SCHEDULE_H
#define TUTTI_RUNTIME_ENGINE_SCHEDULES_SCHEDULE_H

#include "runtime/engine/core/Bucket.h"

#include <cstdint>
#include <memory_resource>
#include <vector>

namespace tutti::runtime::schedules {

/// What is reduced: the buffers of a call, one after the other.
struct Row {
  int64_t elements = 0;
  int64_t element_bytes = 0;
  int64_t partial_bytes = 0; ///< of the sum of an element while it is not complete

  int64_t bytes() const { return elements * element_bytes; }
};

/// What a message carries.
enum class Lane {
  values,   ///< elements that the sender gave
  rows,     ///< whole rows, one of each member
  partials, ///< sums over the first ranks
  results,
};

/// One message, as one of its two sides sees it.
struct Move {
  int32_t peer;
  bool is_send;
  Lane lane;
  Range range; ///< elements of the row; of `rows`: members

  int64_t bytes(const Row &row) const {
    int64_t each = lane == Lane::rows       ? row.bytes()
                   : lane == Lane::partials ? row.partial_bytes
                                            : row.element_bytes;
    return range.size() * each;
  }
};

/// What a rank does at one time. Ranks that do nothing at a time have no step of that number.
/// Schedules fill one after another.
struct Step {
  explicit Step(std::pmr::memory_resource *memory = std::pmr::get_default_resource())
      : moves(memory) {}

  int64_t number = 0;
  std::pmr::vector<Move> moves;
  Range ready; ///< when the messages have come, this rank can add up these elements

  /// Adds a message unless it is empty or has no peer.
  void add(int32_t peer, bool is_send, Lane lane, Range range) {
    if (peer >= 0 && range.size() > 0)
      moves.push_back({peer, is_send, lane, range});
  }
  void begin(int64_t its_number, Range is_ready = {}) {
    number = its_number;
    moves.clear();
    ready = is_ready;
  }
  bool is_empty() const { return moves.empty() && ready.size() == 0; }
};

} // namespace tutti::runtime::schedules

#endif // TUTTI_RUNTIME_ENGINE_SCHEDULES_SCHEDULE_H
