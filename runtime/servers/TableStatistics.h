// What a server can tell of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLESTATISTICS_H
#define TUTTI_RUNTIME_SERVERS_TABLESTATISTICS_H

#include "runtime/servers/steps/Staleness.h"

namespace tutti::runtime::servers {

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

/// Calls use(name, number) for every number but those of `staleness`.
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
