// How long a user wants rows to be kept.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_ROWRULES_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_ROWRULES_H

#include <cstdint>

namespace tutti::runtime::servers {

/// How long rows live. Depends on steps and pushes alone, so that it is the same whatever the
/// number of servers.
struct RowRules {
  static constexpr int64_t most_pushes = UINT16_MAX;
  static constexpr int64_t most_steps = INT32_MAX;

  int64_t admit_after = 1; ///< a row is kept from its push of this number on, counted by steps
  int64_t evict_after =
      0; ///< steps without a push after which it is what it was at first; 0: never

  bool operator==(const RowRules &other) const {
    return admit_after == other.admit_after && evict_after == other.evict_after;
  }
  bool operator!=(const RowRules &other) const { return !(*this == other); }
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_ROWRULES_H
