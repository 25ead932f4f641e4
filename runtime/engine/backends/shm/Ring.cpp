// Copies into and out of a ring, around its end, and the counters that hand them over.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Ring.h"

#include "runtime/waiting/Doorbell.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::shm {

MessageBuffers::MessageBuffers(const std::vector<Piece> &pieces)
    : several(pieces.data()), count(pieces.size()) {
  for (const Piece &one : pieces)
    total += one.bytes;
}

template <typename Move> void MessageBuffers::advance(int64_t bytes, Move move) {
  moved += bytes;
  while (bytes > 0) {
    int64_t step = std::min(bytes, at(piece).bytes - in_piece);
    if (step > 0)
      move(at(piece).memory + in_piece, step);
    in_piece += step;
    bytes -= step;
    if (in_piece == at(piece).bytes)
      ++piece, in_piece = 0;
  }
}

void MessageBuffers::read_to(char *to, int64_t count) {
  advance(count, [&](const char *from, int64_t bytes) {
    std::memcpy(to, from, bytes);
    to += bytes;
  });
}

void MessageBuffers::write_from(const char *from, int64_t count) {
  advance(count, [&](char *to, int64_t bytes) {
    std::memcpy(to, from, bytes);
    from += bytes;
  });
}

void Ring::write(int64_t at, MessageBuffers &buffers, int64_t count) {
  int64_t begin = int64_t((channel.written.load(std::memory_order_relaxed) + at) % ring_bytes);
  int64_t first = std::min(count, ring_bytes - begin);
  buffers.read_to(channel.ring + begin, first);
  buffers.read_to(channel.ring, count - first);
}

void Ring::read(int64_t at, MessageBuffers &buffers, int64_t count) const {
  int64_t begin = int64_t((channel.read.load(std::memory_order_relaxed) + at) % ring_bytes);
  int64_t first = std::min(count, ring_bytes - begin);
  buffers.write_from(channel.ring + begin, first);
  buffers.write_from(channel.ring, count - first);
}

void Ring::publish(int64_t count) {
  notify(channel.written,
         channel.written.load(std::memory_order_relaxed) + uint64_t(in_lines(count)), doorbell);
}

void Ring::release(int64_t count) {
  notify(channel.read, channel.read.load(std::memory_order_relaxed) + uint64_t(in_lines(count)),
         doorbell);
}

} // namespace tutti::runtime::shm
