// What the ranks of one machine share besides their data: a header and one slot a rank, at the
// start of the segment. Plain data and lock-free atomics only, because each process maps it at
// another address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_BACKENDS_SHM_CONTROLBLOCK_H
#define TUTTI_RUNTIME_BACKENDS_SHM_CONTROLBLOCK_H

#include <atomic>
#include <cstdint>

namespace tutti::runtime::shm {

constexpr uint64_t segment_magic = 0x3169747475746d73; // "smtutti1"
constexpr int64_t most_ranks = 256;
/// Buffers that one round of a collective publishes; larger buckets take several rounds.
constexpr int64_t published_buffers = 256;
/// Bytes a rank stages at a time for buffers outside shared memory.
constexpr int64_t stage_bytes = 1 << 20;
constexpr int64_t message_bytes = 1024;
constexpr int64_t report_bytes = 4096;

/// Why everyone stops. The abort word holds kind, rank and detail; 0 means that nobody has to.
enum class AbortKind : uint32_t {
  none = 0,
  killed = 1,      ///< the rank was ended by signal `detail`
  exited = 2,      ///< the rank ended early with exit status `detail`
  failed = 3,      ///< the rank reported status `detail`; its slot has the message
  interrupted = 4, ///< the launcher got signal `detail`
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

enum RankState : uint32_t { rank_absent = 0, rank_joined = 1, rank_finished = 2 };

/// What a rank shows its peers in one round of a collective.
struct Publication {
  int64_t plan_entry;
  uint64_t signature; ///< hash of everything that must be equal on all ranks
  /// Offsets into the rank's arena, or not_shared.
  uint64_t sources[published_buffers];
  uint64_t destinations[published_buffers];
};
constexpr uint64_t not_shared = ~uint64_t(0);

struct alignas(128) RankSlot {
  /// How many barriers the rank has reached. The only line that peers poll.
  std::atomic<uint64_t> arrivals;
  alignas(128) std::atomic<uint32_t> state;
  std::atomic<int32_t> process;
  std::atomic<int64_t> step;
  std::atomic<int64_t> plan_entry;
  alignas(128) Publication publication;
  char message[message_bytes]; ///< complete before the abort word says `failed`
  char report[report_bytes];   ///< what the rank hands the launcher at its end
};

struct alignas(128) ControlBlock {
  uint64_t magic;
  int64_t ranks;
  int64_t arena_bytes; ///< of each rank
  int64_t stages;      ///< offset of rank 0's stage
  int64_t arenas;      ///< offset of rank 0's arena
  int64_t total_bytes;
  alignas(128) std::atomic<uint64_t> abort_word;
  /// Those asleep wait for `wake` to change; an arrival bumps it if there are any.
  alignas(128) std::atomic<uint32_t> wake;
  std::atomic<uint32_t> sleepers;
  /// The last barrier that someone warned about, so that one rank speaks for all.
  alignas(128) std::atomic<uint64_t> warned;
};

static_assert(std::atomic<uint64_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_BACKENDS_SHM_CONTROLBLOCK_H
