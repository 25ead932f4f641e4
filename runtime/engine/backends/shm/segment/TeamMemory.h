// What the members of one team share: a header, and for each member its posts, its stages and its
// channels. All zeros is a valid, empty team.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_TEAMMEMORY_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_TEAMMEMORY_H

#include "runtime/engine/backends/shm/segment/CallSignature.h"
#include "runtime/engine/backends/shm/segment/ControlBlock.h"

namespace tutti::runtime::shm {

/// Bytes that a post can carry itself: a whole payload, or where buffers lie.
constexpr int64_t post_bytes = 16 << 10;
/// Up to this size everyone posts its whole payload: meeting once more costs more than copying.
constexpr int64_t most_flat_bytes = 4 << 10;
/// Buffers that one round of a collective publishes; larger buckets take several rounds.
constexpr int64_t published_buffers = 256;
/// Each half of a stage: they stay in the second-level caches of the ranks that copy.
constexpr int64_t stage_bytes = 128 << 10;
/// Bytes on their way in one channel.
constexpr int64_t ring_bytes = 64 << 10;

/// What a member shows all others at one epoch. It counts arrivals too, so that a small payload and
/// the news that it is there share a cache line. Each member has two: the one of epoch e is written
/// after it has left epoch e - 1, when nobody reads epoch e - 2 any more.
struct alignas(128) Post {
  std::atomic<uint64_t> epoch; ///< the last one at which the member arrived with this post
  CallSignature signature;     ///< of the call that began at that epoch
  char data[post_bytes];
};
/// The place of a buffer is an offset into its rank's arena, or, with this bit, an address in
/// memory that is the rank's own.
constexpr uint64_t private_place = uint64_t(1) << 63;
inline bool is_private(uint64_t place) { return place >= private_place; }

/// Entry of the table of teams. All but the doorbells is guarded by the lock of the table.
struct alignas(128) TeamHeader {
  uint64_t serial; ///< of its making; 0 means that the entry is free
  int64_t occurrence;
  int32_t size;
  int32_t left;                ///< members that are gone
  int32_t members[most_ranks]; ///< ranks of the world
  uint8_t has_joined[most_ranks];
  Doorbell doorbell;
  std::atomic<uint64_t> warned; ///< the last epoch that a rank warned about: one rank does, for all
};

/// What a member shows the ranks that wait for it.
struct alignas(128) MemberStatus {
  std::atomic<int64_t> plan_entry; ///< the last one it was seen in; -1 before the first
  std::atomic<uint32_t> reads_all; ///< from its second arrival on: whether it can read all others
};

/// Copies of private memory, for all to read; halves take turns as posts do.
struct Stages {
  char input[2][stage_bytes];
  char result[2][stage_bytes];
};

/// A channel: what one member sends another. Counters only grow; only their owners write them.
struct Channel {
  alignas(128) std::atomic<uint64_t> written; ///< sender: bytes put into the ring
  alignas(128) std::atomic<uint64_t> read;    ///< receiver: bytes taken from it
  std::atomic<uint64_t> clear_to_send; ///< receiver: rendezvous messages that it is ready for
  std::atomic<uint64_t> copied; ///< receiver: those of them that it has fetched from shared memory
  alignas(128) char ring[ring_bytes];
};

/// The memory of one team of a world of `ranks`, at `begin`.
struct TeamMemory {
  char *begin;
  int64_t ranks;

  static int64_t bytes(int64_t ranks) {
    TeamMemory nowhere = {nullptr, ranks};
    return nowhere.offset_of_channel(ranks * ranks);
  }
  TeamHeader &header() const { return *reinterpret_cast<TeamHeader *>(begin); }
  MemberStatus &line(int64_t rank) const {
    return reinterpret_cast<MemberStatus *>(begin + body)[rank];
  }
  Post &post(int64_t rank, uint64_t epoch) const {
    return reinterpret_cast<Post *>(begin + offset_of_post(0))[2 * rank + int64_t(epoch & 1)];
  }
  Stages &stages(int64_t rank) const {
    return reinterpret_cast<Stages *>(begin + offset_of_stages(0))[rank];
  }
  Channel &channel(int64_t from, int64_t to) const {
    return reinterpret_cast<Channel *>(begin + offset_of_channel(0))[from * ranks + to];
  }
  /// Everything after the header.
  char *body_begin() const { return begin + body; }
  int64_t body_bytes() const { return bytes(ranks) - body; }

private:
  static constexpr int64_t body = 4096;
  static_assert(sizeof(TeamHeader) <= body);
  static int64_t to_pages(int64_t bytes) { return (bytes + 4095) & ~int64_t(4095); }
  int64_t offset_of_post(int64_t rank) const {
    return to_pages(body + ranks * int64_t(sizeof(MemberStatus))) +
           2 * rank * int64_t(sizeof(Post));
  }
  int64_t offset_of_stages(int64_t rank) const {
    return to_pages(offset_of_post(ranks)) + rank * int64_t(sizeof(Stages));
  }
  int64_t offset_of_channel(int64_t index) const {
    return to_pages(to_pages(offset_of_stages(ranks)) + index * int64_t(sizeof(Channel)));
  }
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_TEAMMEMORY_H
