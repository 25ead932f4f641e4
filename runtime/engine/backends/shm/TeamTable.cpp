// Joining and leaving teams under the lock of the table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/TeamTable.h"

#include "runtime/engine/core/Context.h"
#include "runtime/waiting/Doorbell.h"

#include <algorithm>
#include <sched.h>
#include <sys/mman.h>

namespace tutti::runtime::shm {
namespace {

/// A slot that could not be cleaned is not used again.
constexpr uint64_t lost = ~uint64_t(0);
constexpr double seconds_between_looks = 0.2; // whether the holder of the lock lives

bool is_of(const TeamHeader &header, const tutti_group &group) {
  return header.serial != 0 && header.serial != lost && header.occurrence == group.occurrence &&
         header.size == group.size &&
         std::equal(group.members, group.members + group.size, header.members) &&
         !header.has_joined[group.rank];
}

} // namespace

bool TeamTable::try_lock() {
  uint32_t nobody = 0;
  return segment.control().table_lock.compare_exchange_strong(nobody, uint32_t(rank + 1));
}

int32_t TeamTable::lock(tutti_context *context) {
  class IsLocked : public Condition {
  public:
    explicit IsLocked(TeamTable &table) : table(table) {}
    bool is_met() override { return table.try_lock(); }
    std::string missing() const override {
      return text("rank ", int64_t(table.segment.control().table_lock.load()) - 1,
                  ", which is making or ending a group");
    }
    int64_t awaited() const override {
      return int64_t(table.segment.control().table_lock.load()) - 1;
    }
    bool may_warn() override { return table.segment.control().table_warned.exchange(1) == 0; }

  private:
    TeamTable &table;
  } is_locked(*this);
  return Wait(segment, segment.control().table_doorbell, wait_policy, context, -1).until(is_locked);
}

/// Errors can no longer be reported here. Where the run has stopped, or the rank that holds the
/// lock has died or stalls, the table is left as it is: the memory of the team stays taken.
bool TeamTable::lock_at_end() {
  Stopwatch watch;
  for (double looked_at = 0; !try_lock(); sched_yield()) {
    if (segment.aborted().kind != AbortKind::none ||
        watch.seconds() > wait_policy.limits.stall_error)
      return false;
    if (watch.seconds() < looked_at + seconds_between_looks)
      continue;
    looked_at = watch.seconds();
    int64_t holder = int64_t(segment.control().table_lock.load()) - 1;
    if (holder >= 0 && segment.is_gone(holder))
      segment.abort({AbortKind::vanished, int32_t(holder), 0});
  }
  return true;
}

void TeamTable::unlock() {
  segment.control().table_warned.store(0);
  notify(segment.control().table_lock, uint32_t(0), segment.control().table_doorbell);
}

int64_t TeamTable::find(const tutti_group &group) const {
  int64_t found = -1;
  for (int64_t number = 0; number < int64_t(segment.control().teams_seen.load()); ++number) {
    const TeamHeader &header = segment.team(number).header();
    if (is_of(header, group) && (found < 0 || header.serial < segment.team(found).header().serial))
      found = number;
  }
  return found;
}

int64_t TeamTable::make(const tutti_group &group) {
  std::atomic<uint32_t> &seen = segment.control().teams_seen;
  int64_t number = 0;
  while (number < int64_t(seen.load()) && segment.team(number).header().serial != 0)
    ++number;
  if (number == most_teams)
    return -1;
  TeamHeader &header = segment.team(number).header();
  header.occurrence = group.occurrence;
  header.size = group.size;
  header.left = 0;
  std::copy_n(group.members, group.size, header.members);
  std::fill_n(header.has_joined, group.size, uint8_t(0));
  header.warned.store(0);
  header.serial = ++segment.control().teams_made;
  seen.store(std::max(seen.load(), uint32_t(number + 1)));
  return number;
}

int32_t TeamTable::join(tutti_context *context, const tutti_group &group, int64_t &out_number) {
  if (int32_t status = lock(context))
    return status;
  out_number = find(group);
  if (out_number < 0)
    out_number = make(group);
  if (out_number >= 0)
    segment.team(out_number).header().has_joined[group.rank] = 1;
  unlock();
  if (out_number >= 0)
    return TUTTI_OK;
  context->fail(TUTTI_OUT_OF_MEMORY,
                text("there can be ", most_teams,
                     " groups in shared memory at once; destroy those that are done"));
  return context->status;
}

void TeamTable::leave(int64_t number) {
  TeamMemory memory = segment.team(number);
  if (!lock_at_end())
    return;
  TeamHeader &header = memory.header();
  if (++header.left == header.size) // gives the memory back, and reads as zeros afterwards
    header.serial = madvise(memory.body_begin(), memory.body_bytes(), MADV_REMOVE) == 0 ? 0 : lost;
  unlock();
}

} // namespace tutti::runtime::shm
