// The groups that a rank knows by number: their members, and the communicator that serves each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_GROUPS_H
#define TUTTI_RUNTIME_ENGINE_CORE_GROUPS_H

#include "runtime/engine/core/Transport.h"

#include <map>
#include <mutex>

namespace tutti::runtime {

/// A group as this rank sees it.
struct Group {
  std::vector<int32_t> members; ///< world ranks, in the group's order
  int32_t rank = -1;            ///< this rank's place among them, or -1
  Communicator communicator;    ///< of a member
  Communicator twin;            ///< for calls that run beside others; joined at first use

  bool is_member() const { return rank >= 0; }
};

/// Made and changed on the caller's thread only; a group stays where it is until it is destroyed.
class Groups {
public:
  /// Makes group `number`; of the transports that reach all members the first one serves it. A rank
  /// that is no member takes no part. Errors are recorded in `context`.
  void create(tutti_context *context, int64_t number, std::vector<int32_t> members);
  void destroy(int64_t number) { groups.erase(number); }
  void clear() { groups.clear(); }

  /// Null if there is no such group.
  Group *find(int64_t number);
  const Group *find(int64_t number) const { return const_cast<Groups *>(this)->find(number); }

  /// Joins the group's twin unless it has one.
  void join_twin(tutti_context *context, Group &group);

private:
  void join(tutti_context *context, const Group &group, Communicator &communicator,
            Scratch &scratch);

  std::map<int64_t, Group> groups;
  std::map<std::vector<int32_t>, int64_t> occurrences; ///< of each list of members
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_GROUPS_H
