// The memory that the ranks of one machine share: control block, one stage and one arena a rank. It
// is an anonymous file that lives as long as someone has it open, so nothing can be left behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_SEGMENT_H
#define TUTTI_RUNTIME_BACKENDS_SHM_SEGMENT_H

#include "runtime/backends/shm/ControlBlock.h"
#include "runtime/core/Error.h"

namespace tutti::runtime::shm {

/// A mapping of the segment. Movable; unmaps and closes its descriptor at its end.
class Segment {
public:
  /// A new segment for `ranks` ranks whose arenas have `arena_bytes` each. Memory is used when
  /// touched.
  static Result<Segment> create(int64_t ranks, int64_t arena_bytes);
  /// The segment behind `descriptor`, which this object then owns.
  static Result<Segment> attach(int descriptor);

  Segment(Segment &&other) noexcept;
  Segment &operator=(Segment &&other) noexcept;
  ~Segment();

  int descriptor() const { return file; }
  int64_t ranks() const { return control().ranks; }
  ControlBlock &control() const { return *reinterpret_cast<ControlBlock *>(begin); }
  RankSlot &slot(int64_t rank) const;
  char *stage(int64_t rank) const { return begin + control().stages + rank * stage_bytes; }
  char *arena(int64_t rank) const { return begin + control().arenas + rank * arena_bytes(); }
  int64_t arena_bytes() const { return control().arena_bytes; }

  /// Makes everyone stop for `abort` unless they already stop for something else; true if it was
  /// the first.
  bool abort(Abort abort) const;
  Abort aborted() const;
  /// As `abort` with AbortKind::failed, with the rank's status and message.
  bool abort_with_message(int64_t rank, int32_t status, const char *message) const;
  /// "rank 2 was killed by signal 9 (Killed) at step 3"; "" when nobody stopped the run.
  std::string abort_text() const;
  /// Wakes all sleepers so that they look again.
  void wake_all() const;

private:
  Segment(int file, char *begin, int64_t bytes) : file(file), begin(begin), bytes(bytes) {}

  int file = -1;
  char *begin = nullptr;
  int64_t bytes = 0;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_SEGMENT_H
