// What a server can tell of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLESTATISTICS_H
#define TUTTI_RUNTIME_SERVERS_TABLESTATISTICS_H

#include <cstddef>
#include <cstdint>

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

/// Of the rows that one server has, since it began.
struct TableStatistics {
  int64_t rows_used = 0;      ///< rows that are kept
  int64_t rows_admitted = 0;  ///< how often a row began to be kept
  int64_t rows_evicted = 0;   ///< how often one ended to be
  int64_t resident_bytes = 0; ///< of rows, in memory
  int64_t stored_bytes = 0;   ///< on disk
  int64_t cache_hits = 0;     ///< rows that were asked for, and were in memory
  int64_t cache_misses = 0;   ///< and were not
  int64_t pulls = 0, pulled_rows = 0, pulled_bytes = 0;
  int64_t pushes = 0, pushed_rows = 0, pushed_bytes = 0;
  int64_t updates = 0;
  StalenessStatistics staleness;
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

/// Calls use(name, number) for every other number.
template <typename Statistics, typename Use> void for_each_number(Statistics &all, Use use) {
  use("rows_used", all.rows_used);
  use("rows_admitted", all.rows_admitted);
  use("rows_evicted", all.rows_evicted);
  use("resident_bytes", all.resident_bytes);
  use("stored_bytes", all.stored_bytes);
  use("cache_hits", all.cache_hits);
  use("cache_misses", all.cache_misses);
  use("pulls", all.pulls);
  use("pulled_rows", all.pulled_rows);
  use("pulled_bytes", all.pulled_bytes);
  use("pushes", all.pushes);
  use("pushed_rows", all.pushed_rows);
  use("pushed_bytes", all.pushed_bytes);
  use("updates", all.updates);
}

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_TABLESTATISTICS_H
