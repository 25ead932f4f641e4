// Bytes on their way from one member to another, and the memory that they come from and go to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_RING_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_RING_H

#include "runtime/engine/backends/shm/segment/TeamMemory.h"

#include <vector>

namespace tutti::runtime::shm {

/// The memory of a message, in pieces, and how much of it has been moved. The list of several
/// pieces is the caller's.
class MessageBuffers {
public:
  struct Piece {
    char *memory;
    int64_t bytes;
  };
  MessageBuffers() = default;
  MessageBuffers(void *memory, int64_t bytes)
      : only{static_cast<char *>(memory), bytes}, count(1), total(bytes) {}
  explicit MessageBuffers(const std::vector<Piece> &pieces);

  int64_t bytes() const { return total; }
  int64_t left() const { return total - moved; }
  /// The one piece that has it all, or null.
  char *whole() const { return count == 1 ? at(0).memory : nullptr; }
  /// The next `count` bytes, to or from memory that lies in one piece.
  void read_to(char *to, int64_t count);
  void write_from(const char *from, int64_t count);

private:
  template <typename Move> void advance(int64_t bytes, Move move);

  const Piece &at(size_t i) const { return several ? several[i] : only; }

  Piece only = {nullptr, 0};
  const Piece *several = nullptr; ///< in place of `only`
  size_t count = 0, piece = 0;
  int64_t in_piece = 0, moved = 0, total = 0;
};

/// One end of a channel. What is written is seen, and room is given back, by publish() and
/// release(), both in whole cache lines.
class Ring {
public:
  Ring(Channel &channel, Doorbell &doorbell) : channel(channel), doorbell(doorbell) {}

  /// Bytes that can be written or read now.
  int64_t room() const {
    return ring_bytes - int64_t(channel.written.load(std::memory_order_relaxed) -
                                channel.read.load(std::memory_order_acquire));
  }
  int64_t available() const {
    return int64_t(channel.written.load(std::memory_order_acquire) -
                   channel.read.load(std::memory_order_relaxed));
  }
  /// Moves `count` bytes to or from the place `at` bytes after the end or the begin.
  void write(int64_t at, MessageBuffers &buffers, int64_t count);
  void read(int64_t at, MessageBuffers &buffers, int64_t count) const;
  void publish(int64_t count);
  void release(int64_t count);

  Channel &channel;
  Doorbell &doorbell;
};

/// Whole cache lines that hold `bytes`.
inline int64_t in_lines(int64_t bytes) { return (bytes + 63) & ~int64_t(63); }

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_RING_H
