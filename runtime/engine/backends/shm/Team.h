// A member of a team: its arrivals, its posts and stages, and how it meets the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_TEAM_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_TEAM_H

#include "runtime/engine/backends/shm/PeerMemory.h"
#include "runtime/engine/backends/shm/World.h"
#include "runtime/engine/backends/shm/segment/CallSignature.h"
#include "runtime/waiting/Doorbell.h"

#include <memory>
#include <vector>

namespace tutti::runtime::shm {

class Mailbox;

/// What `join` makes; used by one thread at a time. Arrivals are numbered by epochs. What a member
/// shows at an epoch lies in its post, input stage and result stage *of that epoch*: it may write
/// them once it has left the epoch before, and all others may read them once they have left this
/// one, until they arrive at the next.
class Team {
public:
  Team(World &world, int64_t number, const tutti_group &group);
  Team(const Team &) = delete;
  ~Team();

  int64_t rank() const { return own_rank; }
  int64_t size() const { return members; }
  World &place() const { return world; }
  TeamMemory memory() const { return shared; }
  Mailbox &mailbox() { return *messages; }

  /// For the next arrival, on this rank.
  Post &next_post() const { return shared.post(own_rank, epoch + 1); }
  char *next_input() const { return shared.stages(own_rank).input[(epoch + 1) & 1]; }
  char *next_result() const { return shared.stages(own_rank).result[(epoch + 1) & 1]; }
  /// Of the last arrival.
  const Post &post(int64_t peer) const { return shared.post(peer, epoch); }
  const char *input(int64_t peer) const { return shared.stages(peer).input[epoch & 1]; }
  const char *result(int64_t peer) const { return shared.stages(peer).result[epoch & 1]; }

  /// Arrives at the begin of a call and waits for all others to. An error if they are in another.
  int32_t meet(tutti_context *context, const CallSignature &signature);
  /// Arrives within a call and waits for all others to.
  int32_t barrier(tutti_context *context, int64_t plan_entry);

  /// Whether private buffers are read where they lie. All members give one answer, from the third
  /// call on if they can: first each has to try.
  bool reads_private() const { return can_read_all; }
  /// Says that peers read this private memory.
  void lend(const void *memory, int64_t bytes) { world.lent().lend(memory, bytes); }
  /// One rank says for all why private buffers are staged, once, if that is for want of rights.
  void note_staging();
  /// From a private place of a member; an error is kept for check_reads().
  void read(int64_t peer, uint64_t place, void *to, int64_t bytes) {
    peers.read(peer, place, to, bytes);
  }
  /// An error if a read has failed: that of the rank's death, if it died.
  int32_t check_reads(tutti_context *context, int64_t plan_entry);

  /// Makes `plan_entry` what others are told about this member.
  void set_plan_entry(int64_t plan_entry) {
    shared.line(own_rank).plan_entry.store(plan_entry, std::memory_order_relaxed);
  }
  int32_t wait_until(tutti_context *context, int64_t plan_entry, Condition &condition) {
    return Wait(world.shared(), shared.header().doorbell, world.wait_policy(), context, plan_entry)
        .until(condition);
  }
  /// What messages call a member.
  int64_t name_of(int64_t peer) const {
    return world.shared().name_of(shared.header().members[peer]);
  }
  /// "rank 2 (process 77, at step 3, last seen in plan entry 4 (...))".
  std::string text_of_member(tutti_context *context, int64_t peer) const;

private:
  class AllHere;
  class Remains;
  void arrive(int64_t plan_entry);
  bool has_arrived(int64_t peer) const {
    return post(peer).epoch.load(std::memory_order_acquire) >= epoch;
  }
  bool spin() const;
  int32_t wait_for_all(tutti_context *context, int64_t plan_entry);
  bool can_all_read() const;
  int32_t refuse(tutti_context *context, const CallSignature &own, int64_t peer) const;

  World &world;
  int64_t number;
  TeamMemory shared;
  int64_t own_rank;
  int64_t members;
  PeerMemory peers;
  bool can_read_all = false, has_noted = false;
  uint64_t epoch = 0;
  std::unique_ptr<Mailbox> messages;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_TEAM_H
