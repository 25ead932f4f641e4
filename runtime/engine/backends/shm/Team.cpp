// The barrier of a team. Each member counts its arrivals in posts of its own and reads those of the
// others, so that a rank that waits can name the ranks that are missing. Steps: one store, N - 1
// loads. Nothing is written by two members but the words that put to sleep and wake.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/Team.h"

#include "runtime/engine/backends/shm/Mailbox.h"
#include "runtime/engine/core/Context.h"

#include <cstdio>

namespace tutti::runtime::shm {

/// All members have arrived at the epoch.
class Team::AllHere : public Condition {
public:
  AllHere(const Team &team, tutti_context *context) : team(team), context(context) {}

  bool is_met() override {
    for (; next < team.members; ++next)
      if (!team.has_arrived(next))
        return false;
    return true;
  }

  std::string missing() const override {
    std::string late, here;
    for (int64_t peer = 0; peer < team.members; ++peer)
      if (!team.has_arrived(peer))
        late += (late.empty() ? "" : ", ") + team.text_of_member(context, peer);
      else
        here += text(here.empty() ? "rank " : ", rank ", team.name_of(peer));
    return late + "; " + here + (here.find(',') == here.npos ? " has arrived" : " have arrived");
  }

  int64_t awaited() const override {
    for (int64_t peer = next; peer < team.members; ++peer)
      if (!team.has_arrived(peer))
        return team.shared.header().members[peer];
    return -1;
  }

  bool may_warn() override {
    std::atomic<uint64_t> &warned = team.shared.header().warned;
    uint64_t last = warned.load();
    return last < team.epoch && warned.compare_exchange_strong(last, team.epoch);
  }

private:
  const Team &team;
  tutti_context *context;
  int64_t next = 0;
};

/// A member whose memory could not be read is still there after a while. One that dies loses its
/// memory before others can see that it has ended.
class Team::Remains : public Condition {
public:
  Remains(const Team &team, tutti_context *context, int64_t peer)
      : team(team), context(context), peer(peer) {}

  bool is_met() override { return watch.seconds() > 1; }
  std::string missing() const override { return team.text_of_member(context, peer); }
  int64_t awaited() const override { return team.shared.header().members[peer]; }
  bool may_warn() override { return true; }

private:
  const Team &team;
  tutti_context *context;
  int64_t peer;
  Stopwatch watch;
};

Team::Team(World &world, int64_t number, const tutti_group &group)
    : world(world), number(number), shared(world.shared().team(number)), own_rank(group.rank),
      members(group.size), peers(world.shared(), shared.header().members, members),
      messages(std::make_unique<Mailbox>(*this)) {
  set_plan_entry(-1);
}

Team::~Team() { world.teams().leave(number); }

void Team::arrive(int64_t plan_entry) {
  set_plan_entry(plan_entry);
  if (epoch == 1) // all have joined
    shared.line(own_rank).reads_all.store(peers.prove(), std::memory_order_relaxed);
  Post &own = next_post();
  notify(own.epoch, ++epoch, shared.header().doorbell);
}

bool Team::spin() const {
  constexpr int64_t eager_turns = 32; // a pause takes up to 50 ns, as long as all the rest
  int64_t turns = world.wait_policy().spins.load(std::memory_order_relaxed), peer = 0;
  for (int64_t turn = 0; turn < turns; ++turn) {
    while (peer < members && has_arrived(peer))
      ++peer;
    if (peer == members)
      return true;
    if (turn >= eager_turns)
      relax();
  }
  return false;
}

int32_t Team::wait_for_all(tutti_context *context, int64_t plan_entry) {
  if (spin()) {
    fetch_to_write(&next_post()); // nobody reads it any more, and it will be needed
  } else {
    AllHere all_here(*this, context);
    Wait wait(world.shared(), shared.header().doorbell, world.wait_policy(), context, plan_entry);
    if (int32_t status = wait.yield_until(all_here))
      return status;
  }
  if (epoch == 2)
    can_read_all = can_all_read();
  return TUTTI_OK;
}

bool Team::can_all_read() const {
  for (int64_t peer = 0; peer < members; ++peer)
    if (shared.line(peer).reads_all.load(std::memory_order_relaxed) == 0)
      return false;
  return true;
}

void Team::note_staging() {
  if (can_read_all || peers.obstacle().empty() || has_noted)
    return;
  has_noted = true;
  if (world.shared().control().staging_noted.exchange(1) == 0)
    std::fprintf(stderr, "tutti: note: private buffers are copied twice: %s\n",
                 peers.obstacle().c_str());
}

int32_t Team::check_reads(tutti_context *context, int64_t plan_entry) {
  const PeerMemory::Failure &failure = peers.failure();
  if (failure.reason == 0)
    return TUTTI_OK;
  Remains remains(*this, context, failure.peer);
  if (int32_t status = wait_until(context, plan_entry, remains))
    return status;
  context->fail(TUTTI_SYSTEM_ERROR,
                text(context->where(plan_entry), ": cannot read ", failure.bytes, " bytes of ",
                     text_of_member(context, failure.peer), ": ", system_message(failure.reason)));
  return context->status;
}

int32_t Team::barrier(tutti_context *context, int64_t plan_entry) {
  arrive(plan_entry);
  return wait_for_all(context, plan_entry);
}

int32_t Team::meet(tutti_context *context, const CallSignature &signature) {
  Post &own = next_post();
  own.signature = signature;
  arrive(signature.plan_entry);
  if (int32_t status = wait_for_all(context, signature.plan_entry))
    return status;
  if (epoch == 1) // all members have told where they may run
    world.count_processors();
  for (int64_t peer = 0; peer < members; ++peer)
    if (!(post(peer).signature == signature))
      return refuse(context, signature, peer);
  return TUTTI_OK;
}

int32_t Team::refuse(tutti_context *context, const CallSignature &own, int64_t peer) const {
  const CallSignature &other = post(peer).signature;
  bool is_one_entry = own.plan_entry == other.plan_entry;
  context->fail(TUTTI_PLAN_MISMATCH,
                text("ranks run different collectives at step ", context->step, ": rank ",
                     name_of(own_rank), " is in ", context->plan_entry_text(own.plan_entry),
                     ", rank ", name_of(peer), " in ", context->plan_entry_text(other.plan_entry),
                     is_one_entry ? ", with another kind, type, reduction or size" : "", ": ",
                     text_of(own), " here, ", text_of(other), " there"));
  return context->status;
}

std::string Team::text_of_member(tutti_context *context, int64_t peer) const {
  const RankSlot &slot = world.shared().slot(shared.header().members[peer]);
  if (slot.state.load() == rank_absent)
    return text("rank ", name_of(peer), " (not started)");
  return text("rank ", name_of(peer), " (process ", slot.process.load(), ", at step ",
              slot.step.load(), ", last seen in ",
              context->plan_entry_text(shared.line(peer).plan_entry.load()), ")");
}

} // namespace tutti::runtime::shm
