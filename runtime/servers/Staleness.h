// How old the rows are that asynchronous workers compute with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STALENESS_H
#define TUTTI_RUNTIME_SERVERS_STALENESS_H

#include "runtime/servers/TableStatistics.h"

#include <map>
#include <vector>

namespace tutti::runtime::servers {

/// Counts for each push how many updates of other workers came since its worker pulled for that
/// step, and for each pull how many steps its worker was ahead of the slowest. One thread at a
/// time.
class Staleness {
public:
  explicit Staleness(int64_t workers) : pulled(workers) {}

  /// `of_others`: updates that others have made so far; `ahead` as above.
  void pull(int64_t worker, int64_t step, int64_t of_others, int64_t ahead);
  /// Of a worker that has pulled nothing here for `step`, nothing is counted.
  void push(int64_t worker, int64_t step, int64_t of_others);

  const StalenessStatistics &counted() const { return all; }

private:
  std::vector<std::map<int64_t, int64_t>> pulled; ///< by worker: of_others at a step's first pull
  StalenessStatistics all;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STALENESS_H
