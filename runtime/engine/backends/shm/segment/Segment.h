// The memory that the ranks of one machine share: control block, teams, and one arena a rank. It is
// an anonymous file that lives as long as someone has it open, so nothing can be left behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_SEGMENT_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_SEGMENT_H

#include "runtime/engine/backends/shm/segment/Mapping.h"
#include "runtime/engine/backends/shm/segment/TeamMemory.h"

#include <string>

namespace tutti::runtime::shm {

/// The segment as this process sees it. Movable; closes its descriptor at its end.
class Segment {
public:
  /// The most that each of `ranks` ranks can have.
  static int64_t largest_arena(int64_t ranks);
  /// A new segment for `ranks` ranks whose arenas have `arena_bytes` each. Memory is used when
  /// touched.
  static Result<Segment> create(int64_t ranks, int64_t arena_bytes);
  /// The segment of `descriptor`, which this object then owns.
  static Result<Segment> attach(int descriptor);

  Segment(Segment &&other) noexcept;
  Segment &operator=(Segment &&other) noexcept;
  ~Segment();

  int descriptor() const { return file; }
  int64_t ranks() const { return control().ranks; }
  ControlBlock &control() const { return *reinterpret_cast<ControlBlock *>(begin()); }
  RankSlot &slot(int64_t rank) const;
  /// What messages call a rank: its rank in the whole job once it has told it.
  int64_t name_of(int64_t rank) const;
  TeamMemory team(int64_t number) const {
    return {begin() + control().teams + number * control().team_bytes, ranks()};
  }
  char *arena(int64_t rank) const { return begin() + control().arenas + rank * arena_bytes(); }
  int64_t arena_bytes() const { return control().arena_bytes; }

  /// Makes everyone stop for `abort` unless they already stop for something else; true if it was
  /// the first. How a process ended replaces that it has.
  bool abort(Abort abort) const;
  Abort aborted() const;
  /// Whether the process of a rank that joined has ended, in whatever way.
  bool is_gone(int64_t rank) const;
  /// As `abort` with AbortKind::failed, with the rank's status and message.
  bool abort_with_message(int64_t rank, int32_t status, const char *message) const;
  /// "rank 2 was killed by signal 9 (Killed) at step 3"; "" when nobody stopped the run.
  std::string abort_text() const { return text_of(aborted()); }
  /// The same of what need not have stopped it.
  std::string text_of(const Abort &abort) const;

private:
  Segment(int file, std::shared_ptr<const Mapping> mapping)
      : file(file), mapping(std::move(mapping)) {}
  char *begin() const { return mapping->begin(); }

  int file = -1;
  std::shared_ptr<const Mapping> mapping;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_SEGMENT_H
