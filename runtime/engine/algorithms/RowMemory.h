// The buffers of a call seen as one row. Both sides of a message cut it where buffers end, so their
// transfers match in order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_ALGORITHMS_ROWMEMORY_H
#define TUTTI_RUNTIME_ENGINE_ALGORITHMS_ROWMEMORY_H

#include "runtime/engine/algorithms/Exchange.h"
#include "runtime/engine/core/Bucket.h"
#include "runtime/engine/schedules/Schedule.h"

namespace tutti::runtime::algorithms {

class RowMemory {
public:
  explicit RowMemory(const tutti_call &call);

  const schedules::Row &row() const { return shape; }
  int64_t element_bytes() const { return shape.element_bytes; }

  /// Copies elements of the sources, or to the destinations.
  void read(Range range, void *to) const;
  void write(Range range, const void *from) const;
  /// The elements where they lie in a source; null if they lie in several.
  const void *whole_source(Range range) const;

  /// Messages from the sources, to or from the destinations, and to or from memory that has just
  /// `range`.
  void send_sources(Exchange &exchange, int32_t peer, Range range) const;
  void send_results(Exchange &exchange, int32_t peer, Range range) const;
  void receive_results(Exchange &exchange, int32_t peer, Range range) const;
  void send_from(Exchange &exchange, int32_t peer, Range range, const char *memory) const;
  void receive_to(Exchange &exchange, int32_t peer, Range range, char *memory) const;

private:
  /// Calls use(buffer, byte in it, byte within `range`, bytes) for each part of a buffer.
  template <typename Use> void for_each_part(Range range, Use use) const {
    bucket.for_each_piece(range, [&](int64_t i, int64_t offset, int64_t at, int64_t count) {
      int64_t bytes = shape.element_bytes;
      use(i, offset * bytes, (at - range.begin) * bytes, count * bytes);
    });
  }

  const tutti_call &call;
  Bucket bucket;
  schedules::Row shape;
};

} // namespace tutti::runtime::algorithms

#endif // TUTTI_RUNTIME_ENGINE_ALGORITHMS_ROWMEMORY_H
