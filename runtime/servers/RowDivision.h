// Dividing a list of rows over servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWDIVISION_H
#define TUTTI_RUNTIME_SERVERS_ROWDIVISION_H

#include "runtime/servers/Placement.h"

#include <vector>

namespace tutti::runtime::servers {

/// Numbers distinct rows in the order in which they come. Memory is kept from list to list.
class DistinctRows {
public:
  /// Forgets all; `most` rows can follow.
  void start(int64_t most);
  /// The number of `row`; `is_new` tells whether it is that of a row that did not come before.
  int64_t number(int64_t row, bool &is_new);
  /// Whether `row` has a number.
  bool has(int64_t row) const { return entries.empty() ? false : is_known(entries[find(row)]); }

private:
  struct Entry {
    int64_t row;
    int64_t stamp = -1; ///< of this list if it is at least `first_stamp`
  };
  bool is_known(const Entry &entry) const { return entry.stamp >= first_stamp; }
  /// The entry of `row`, or the one that it would get.
  size_t find(int64_t row) const;

  std::vector<Entry> entries; ///< open addressing; their number is a power of two
  int64_t first_stamp = 0, count = 0;
};

/// What each server is asked of the rows of one list. Any number of lists, one after the other.
class RowDivision {
public:
  /// Where an entry of the list is: whose, and which of that server's.
  struct Place {
    int64_t server, number;
  };

  explicit RowDivision(int64_t servers) : rows(servers), positions(servers) {}

  /// For a pull: a row that is in the list several times goes to its server once. `distinct` is
  /// scratch.
  void divide_distinct(const Placement &placement, const std::vector<int64_t> &list,
                       DistinctRows &distinct);
  /// For a push: every entry goes to its server, in the order of the list.
  void divide_all(const Placement &placement, const int64_t *list, int64_t count);

  int64_t servers() const { return int64_t(rows.size()); }
  const std::vector<int64_t> &rows_of(int64_t server) const { return rows[server]; }
  /// Of a push: which entries of the list rows_of() are.
  const std::vector<int64_t> &positions_of(int64_t server) const { return positions[server]; }
  /// Of a pull: where each entry of the list is.
  const std::vector<Place> &places() const { return place_of; }

private:
  void clear();

  std::vector<std::vector<int64_t>> rows, positions; ///< by server
  std::vector<Place> place_of, of_distinct;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWDIVISION_H
