// Rows that workers have before the step in which they pull them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWSAHEAD_H
#define TUTTI_RUNTIME_SERVERS_ROWSAHEAD_H

#include "runtime/servers/RowDivision.h"
#include "runtime/support/Error.h"

#include <functional>

namespace tutti::runtime::servers {

/// Remembers of each worker which rows of a table it was sent for a later step, and which of them
/// have changed since. One list a worker. One thread at a time.
class RowsAhead {
public:
  explicit RowsAhead(int64_t workers) : lists(workers) {}

  /// `worker` has been sent `count` rows, each once, for step `step`; what it had before is
  /// forgotten.
  void add(int64_t worker, int64_t step, const int64_t *rows, int64_t count);
  /// Whether `worker` has rows of table `table` for step `step`; the error names all of them.
  Error check(const std::string &table, int64_t worker, int64_t step) const;
  /// An update changes the rows that `rows` has.
  void mark_changed(const DistinctRows &rows);
  /// Ends the list of `worker`: the positions in it of rows that have changed, or have ended as
  /// `has_ended` says, and these rows.
  std::vector<int64_t> take(int64_t worker, const std::function<bool(int64_t row)> &has_ended,
                            std::vector<int64_t> &positions);
  void forget(int64_t worker) { lists[worker] = {}; }
  void forget_all() { lists.assign(lists.size(), {}); }

private:
  struct List {
    int64_t step = -1; ///< for which; -1: nothing
    std::vector<int64_t> rows;
    std::vector<bool> is_changed;
  };
  std::vector<List> lists; ///< by worker
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWSAHEAD_H
