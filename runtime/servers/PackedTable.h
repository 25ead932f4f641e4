// A table as workers reach it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_PACKEDTABLE_H
#define TUTTI_RUNTIME_SERVERS_PACKEDTABLE_H

#include "runtime/servers/Table.h"

namespace tutti::runtime::servers {

/// Table::pull for what travels. Rows with states, which become checkpoints, travel as
/// they are, and wait for all workers.
Error pull_packed(Table &table, int64_t step, const std::vector<int64_t> &rows, char *packed,
                  double seconds, bool states, int64_t worker);
/// Table::prefetch and pull_prefetched.
Error prefetch_packed(Table &table, int64_t worker, int64_t step, const std::vector<int64_t> &rows,
                      char *packed);
Error pull_prefetched_packed(Table &table, int64_t worker, int64_t step, double seconds,
                             std::vector<int64_t> &positions, std::vector<char> &packed);
Error push_packed(Table &table, int64_t worker, int64_t step, const std::vector<int64_t> &rows,
                  const char *packed, std::string_view scalars, double seconds);
/// Of each row.
int64_t packed_bytes(const Table &table, bool states);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_PACKEDTABLE_H
