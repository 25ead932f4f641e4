// One rank's place in a segment: its slot, its arena, its policy of waiting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_WORLD_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_WORLD_H

#include "runtime/engine/backends/shm/PeerMemory.h"
#include "runtime/engine/backends/shm/TeamTable.h"

namespace tutti::runtime::shm {

/// What `open` makes.
class World {
public:
  /// `name`: what messages call the rank. `busy_threads`: those of all ranks that want a processor
  /// during the run. `is_staged`: peers may not read the rank's own memory.
  World(Segment segment, int64_t rank, int32_t name, const tutti_limits &limits,
        int64_t busy_threads, bool is_staged);
  World(const World &) = delete;
  ~World();

  int64_t rank() const { return own_rank; }
  Segment &shared() { return segment; }
  TeamTable &teams() { return table; }
  const WaitPolicy &wait_policy() const { return policy; }
  /// Counts the processors that the ranks so far may use, to know how to wait.
  void count_processors();

  /// From the rank's arena. One thread at a time.
  int32_t allocate(tutti_context *context, int64_t bytes, void **out_memory);
  /// Where `bytes` at `pointer` lie, see private_place. 0 for nothing, which nobody reads.
  uint64_t place_of(const void *pointer, int64_t bytes) const;
  /// What peers read of this rank's own memory.
  LentMemory &lent() { return loans; }

private:
  Segment segment;
  int64_t own_rank;
  int64_t busy_threads;
  WaitPolicy policy;
  TeamTable table;
  LentMemory loans;
  const uint64_t proof; ///< for peers, see PeerMemory.h
  int64_t allocated = 0;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_WORLD_H
