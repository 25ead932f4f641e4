// Which of several servers holds a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_PLACEMENT_H
#define TUTTI_RUNTIME_SERVERS_PLACEMENT_H

#include "runtime/host/program/Manifest.h"

#include <algorithm>
#include <vector>

namespace tutti::runtime::servers {

/// As `ps.table` says it: with `range` server s of S has the rows from s * R / S to (s + 1) * R /
/// S, with `hash` a row's server is its hash modulo S. Whole variables are spread by their bytes:
/// from the largest on, each goes to the server that has the fewest. Pure.
class Placement {
public:
  /// Of `tables[number]`, which lies where all of them together want it.
  Placement(const std::vector<worker::ServedTable> &tables, size_t number, int64_t servers)
      : is_hashed(tables[number].placement == worker::ServedTable::Placement::hash) {
    for (int64_t server = 0; server < servers; ++server)
      first_rows.push_back(int64_t(__int128(server) * tables[number].rows() / servers));
    if (tables[number].is_whole)
      home = home_of(tables, number, servers);
  }

  int64_t server_of(int64_t row) const {
    if (home >= 0)
      return home;
    if (is_hashed)
      return int64_t(mixed(uint64_t(row)) % uint64_t(first_rows.size()));
    return std::upper_bound(first_rows.begin(), first_rows.end(), row) - first_rows.begin() - 1;
  }

private:
  static int64_t home_of(const std::vector<worker::ServedTable> &tables, size_t number,
                         int64_t servers) {
    std::vector<size_t> whole;
    for (size_t i = 0; i < tables.size(); ++i)
      if (tables[i].is_whole)
        whole.push_back(i);
    std::stable_sort(whole.begin(), whole.end(), [&](size_t a, size_t b) {
      return tables[a].row_bytes() > tables[b].row_bytes();
    });
    std::vector<int64_t> bytes(servers);
    for (size_t i : whole) {
      auto fewest = std::min_element(bytes.begin(), bytes.end());
      *fewest += tables[i].row_bytes();
      if (i == number)
        return fewest - bytes.begin();
    }
    return 0;
  }

  /// The finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
  /// generators", OOPSLA 2014).
  static uint64_t mixed(uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  bool is_hashed;
  std::vector<int64_t> first_rows; ///< of each server's range
  int64_t home = -1;               ///< of a whole variable
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_PLACEMENT_H
