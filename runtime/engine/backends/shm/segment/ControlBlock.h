// What the ranks of one machine share besides their data: a header and one slot a rank, at the
// start of the segment. Plain data and lock-free atomics only, because each process maps it at
// another address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_CONTROLBLOCK_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_CONTROLBLOCK_H

#include "runtime/waiting/Doorbell.h"

namespace tutti::runtime::shm {

constexpr uint64_t segment_magic = 0x3369747475746d73; // "smtutti3"
constexpr int64_t most_ranks = 256;
/// Teams that can exist at once; their memory is used when touched.
constexpr int64_t most_teams = 1024;
constexpr int64_t most_processors = 1024;
constexpr int64_t message_bytes = 1024;
constexpr int64_t report_bytes = 4096;

/// Why everyone stops. The abort word holds kind, rank and detail; 0 means that nobody has to.
enum class AbortKind : uint32_t {
  none = 0,
  killed = 1,        ///< the rank was ended by signal `detail`
  exited = 2,        ///< the rank ended early with exit status `detail`
  failed = 3,        ///< the rank reported status `detail`; its slot has the message
  interrupted = 4,   ///< the launcher got signal `detail`
  vanished = 5,      ///< the process of the rank has ended; how is not known
  server_killed = 6, ///< server `rank` of tables was ended by signal `detail`
  server_exited = 7, ///< it ended early with exit status `detail`
};

struct Abort {
  AbortKind kind = AbortKind::none;
  int32_t rank = 0;
  int32_t detail = 0;

  static Abort decode(uint64_t word) {
    return {AbortKind(word >> 56), int32_t((word >> 32) & 0xffffff), int32_t(word & 0xffffffff)};
  }
  uint64_t encode() const {
    return uint64_t(kind) << 56 | uint64_t(uint32_t(rank)) << 32 | uint32_t(detail);
  }
};

enum RankState : uint32_t {
  rank_absent = 0,
  rank_joined = 1,
  rank_finished = 2,
  rank_training = 3 ///< it heeds `stop_signal` from here on
};

/// A rank of the world, for those who start it, watch it, or wait for it.
struct alignas(128) RankSlot {
  std::atomic<uint32_t> state;
  std::atomic<int32_t> process;
  std::atomic<int32_t> name; ///< its rank in the whole job, of which this world may be one node
  std::atomic<int64_t> step;
  std::atomic<uint64_t> proof_address; ///< where in its own memory `proof` stands; 0: nowhere
  std::atomic<uint64_t> proof;         ///< a peer that reads it there can read that memory
  std::atomic<uint64_t> processors[most_processors / 64]; ///< those that it may use, a bit each
  char message[message_bytes]; ///< complete before the abort word says `failed`
  char report[report_bytes];   ///< what the rank hands the launcher at its end
};

struct alignas(128) ControlBlock {
  uint64_t magic;
  int64_t ranks;
  int64_t arena_bytes; ///< of each rank
  int64_t team_bytes;  ///< of each team
  int64_t teams;       ///< offset of the first team
  int64_t arenas;      ///< offset of rank 0's arena
  int64_t total_bytes;
  alignas(128) std::atomic<uint64_t> abort_word;
  std::atomic<uint32_t> stop_signal; ///< the launcher's wish: end together, and save; 0: none
  /// Guards the table of teams: 0, or 1 + the rank that holds it.
  alignas(128) std::atomic<uint32_t> table_lock;
  std::atomic<uint32_t> teams_seen;    ///< one more than the largest number of a team so far
  uint64_t teams_made;                 ///< under table_lock
  std::atomic<uint32_t> table_warned;  ///< of whoever holds table_lock: one rank does, for all
  std::atomic<uint32_t> staging_noted; ///< one rank says for all why private buffers are staged
  Doorbell table_doorbell;
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_CONTROLBLOCK_H
