// The table of teams in the segment: how members find the memory of their team, and give it back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_TEAMTABLE_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_TEAMTABLE_H

#include "runtime/engine/backends/shm/segment/Wait.h"

namespace tutti::runtime::shm {

/// How one rank of the world joins and leaves teams. A rank that dies while it holds the lock stops
/// the run, and is named: the table may be half changed.
class TeamTable {
public:
  TeamTable(Segment &segment, int64_t rank, const WaitPolicy &wait_policy)
      : segment(segment), rank(rank), wait_policy(wait_policy) {}

  /// Sets `out_number` to the team of `group`: the oldest of these members and this occurrence that
  /// this rank is not in yet, or a new one. Otherwise `context` has the reason.
  int32_t join(tutti_context *context, const tutti_group &group, int64_t &out_number);
  /// The last member to leave frees the team.
  void leave(int64_t number);

private:
  int32_t lock(tutti_context *context);
  bool lock_at_end();
  void unlock();
  bool try_lock();
  int64_t find(const tutti_group &group) const;
  int64_t make(const tutti_group &group);

  Segment &segment;
  int64_t rank;
  const WaitPolicy &wait_policy;
};

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_TEAMTABLE_H
