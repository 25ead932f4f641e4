// How old the rows are that asynchronous workers compute with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STEPS_STALENESS_H
#define TUTTI_RUNTIME_SERVERS_STEPS_STALENESS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tutti::runtime::servers {

/// Of an asynchronous table. How stale a push is: updates of other workers between its worker's
/// pull and itself.
struct StalenessStatistics {
  static constexpr size_t classes = 6;

  int64_t pushes = 0;              ///< whose worker had pulled rows here
  int64_t sum = 0, max = 0;        ///< of their staleness
  int64_t histogram[classes] = {}; ///< pushes by staleness: 0, 1, 2 to 3, 4 to 7, 8 to 15, more
  int64_t pulled_steps = 0;        ///< steps of workers for which rows were pulled here
  int64_t ahead_sum = 0, ahead_max = 0; ///< steps by which they were ahead of the slowest
};

/// Calls use(name, number) for every number of an asynchronous table.
template <typename Statistics, typename Use> void for_each_staleness(Statistics &all, Use use) {
  use("staleness_pushes", all.pushes);
  use("staleness_sum", all.sum);
  use("staleness_max", all.max);
  use("staleness_0", all.histogram[0]);
  use("staleness_1", all.histogram[1]);
  use("staleness_2_3", all.histogram[2]);
  use("staleness_4_7", all.histogram[3]);
  use("staleness_8_15", all.histogram[4]);
  use("staleness_from_16", all.histogram[5]);
  use("ahead_steps", all.pulled_steps);
  use("ahead_sum", all.ahead_sum);
  use("ahead_max", all.ahead_max);
}

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

#endif // TUTTI_RUNTIME_SERVERS_STEPS_STALENESS_H
