// Copies and messages, a buffer at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/algorithms/RowMemory.h"

#include "runtime/engine/reduction/Reduction.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::algorithms {

RowMemory::RowMemory(const tutti_call &call) : call(call), bucket{call.count, call.elements} {
  int64_t bytes = type_bytes(call.type);
  shape = {bucket.total(), bytes, is_half(call.type) ? int64_t(sizeof(float)) : bytes};
}

void RowMemory::read(Range range, void *to) const {
  for_each_part(range, [&](int64_t i, int64_t offset, int64_t at, int64_t bytes) {
    copy(static_cast<char *>(to) + at, source(call, i) + offset, bytes);
  });
}

void RowMemory::write(Range range, const void *from) const {
  for_each_part(range, [&](int64_t i, int64_t offset, int64_t at, int64_t bytes) {
    copy(destination(call, i) + offset, static_cast<const char *>(from) + at, bytes);
  });
}

const void *RowMemory::whole_source(Range range) const {
  const void *whole = nullptr;
  for_each_part(range, [&](int64_t i, int64_t offset, int64_t, int64_t bytes) {
    if (bytes == range.size() * shape.element_bytes)
      whole = source(call, i) + offset;
  });
  return whole;
}

void RowMemory::send_sources(Exchange &exchange, int32_t peer, Range range) const {
  for_each_part(range, [&](int64_t i, int64_t offset, int64_t, int64_t bytes) {
    exchange.send(peer, source(call, i) + offset, bytes);
  });
}

void RowMemory::send_results(Exchange &exchange, int32_t peer, Range range) const {
  for_each_part(range, [&](int64_t i, int64_t offset, int64_t, int64_t bytes) {
    exchange.send(peer, destination(call, i) + offset, bytes);
  });
}

void RowMemory::receive_results(Exchange &exchange, int32_t peer, Range range) const {
  for_each_part(range, [&](int64_t i, int64_t offset, int64_t, int64_t bytes) {
    exchange.receive(peer, destination(call, i) + offset, bytes);
  });
}

void RowMemory::send_from(Exchange &exchange, int32_t peer, Range range, const char *memory) const {
  for_each_part(range, [&](int64_t, int64_t, int64_t at, int64_t bytes) {
    exchange.send(peer, memory + at, bytes);
  });
}

void RowMemory::receive_to(Exchange &exchange, int32_t peer, Range range, char *memory) const {
  for_each_part(range, [&](int64_t, int64_t, int64_t at, int64_t bytes) {
    exchange.receive(peer, memory + at, bytes);
  });
}

} // namespace tutti::runtime::algorithms
