// Whose row is whose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowDivision.h"

namespace tutti::runtime::servers {

void DistinctRows::start(int64_t most) {
  first_stamp += count;
  count = 0;
  size_t wanted = 16;
  while (wanted < size_t(most) * 2)
    wanted *= 2;
  if (entries.size() < wanted)
    entries.assign(wanted, {});
}

size_t DistinctRows::find(int64_t row) const {
  constexpr uint64_t odd = 0x9E3779B97F4A7C15u; // Fibonacci hashing: the upper half is mixed
  size_t mask = entries.size() - 1, at = ((uint64_t(row) * odd) >> 32) & mask;
  while (is_known(entries[at]) && entries[at].row != row)
    at = (at + 1) & mask;
  return at;
}

int64_t DistinctRows::number(int64_t row, bool &is_new) {
  Entry &entry = entries[find(row)];
  is_new = !is_known(entry);
  if (is_new)
    entry = {row, first_stamp + count++};
  return entry.stamp - first_stamp;
}

void RowDivision::clear() {
  for (size_t server = 0; server < rows.size(); ++server) {
    rows[server].clear();
    positions[server].clear();
  }
  place_of.clear();
  of_distinct.clear();
}

void RowDivision::divide_distinct(const Placement &placement, const std::vector<int64_t> &list,
                                  DistinctRows &distinct) {
  clear();
  distinct.start(int64_t(list.size()));
  place_of.reserve(list.size());
  for (int64_t row : list) {
    bool is_new;
    int64_t number = distinct.number(row, is_new);
    if (is_new) {
      int64_t server = placement.server_of(row);
      of_distinct.push_back({server, int64_t(rows[server].size())});
      rows[server].push_back(row);
    }
    place_of.push_back(of_distinct[number]);
  }
}

void RowDivision::divide_all(const Placement &placement, const int64_t *list, int64_t count) {
  clear();
  for (int64_t i = 0; i < count; ++i) {
    int64_t server = placement.server_of(list[i]);
    rows[server].push_back(list[i]);
    positions[server].push_back(i);
  }
}

} // namespace tutti::runtime::servers
