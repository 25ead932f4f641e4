// Which of several servers holds a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_PLACEMENT_H
#define TUTTI_RUNTIME_SERVERS_PLACEMENT_H

#include "runtime/program/Manifest.h"

namespace tutti::runtime::servers {

/// As `ps.table` says it: with `range` server s of S has the rows from s * R / S to (s + 1) * R /
/// S, with `hash` a row's server is its hash modulo S. Pure.
class Placement {
public:
  Placement(const worker::ServedTable &table, int64_t servers)
      : is_hashed(table.placement == worker::ServedTable::Placement::hash), rows(table.rows()),
        servers(servers) {}

  int64_t server_of(int64_t row) const {
    if (is_hashed)
      return int64_t(mixed(uint64_t(row)) % uint64_t(servers));
    auto first_of = [&](int64_t server) { return int64_t(__int128(server) * rows / servers); };
    int64_t server = int64_t(__int128(row) * servers / rows); // this one, or the next
    while (server + 1 < servers && first_of(server + 1) <= row)
      ++server;
    return server;
  }

private:
  /// The finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
  /// generators", OOPSLA 2014).
  static uint64_t mixed(uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  bool is_hashed;
  int64_t rows, servers;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_PLACEMENT_H
