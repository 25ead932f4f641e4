// Lists of rows, and what has changed of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowsAhead.h"

namespace tutti::runtime::servers {

void RowsAhead::add(int64_t worker, int64_t step, const int64_t *rows, int64_t count) {
  List &list = lists[worker];
  list.step = step;
  list.rows.assign(rows, rows + count);
  list.is_changed.assign(count, false);
}

Error RowsAhead::check(const std::string &table, int64_t worker, int64_t step) const {
  if (step >= 0 && lists[worker].step == step)
    return Error::success();
  return Error::make(TUTTI_INVALID_ARGUMENT, "worker ", worker, " has asked for no rows of table '",
                     table, "' ahead of step ", uint64_t(step) + 1);
}

void RowsAhead::mark_changed(const DistinctRows &rows) {
  for (List &list : lists)
    for (size_t i = 0; list.step >= 0 && i < list.rows.size(); ++i)
      if (!list.is_changed[i] && rows.has(list.rows[i]))
        list.is_changed[i] = true;
}

std::vector<int64_t> RowsAhead::take(int64_t worker,
                                     const std::function<bool(int64_t row)> &has_ended,
                                     std::vector<int64_t> &positions) {
  List &list = lists[worker];
  std::vector<int64_t> rows;
  positions.clear();
  for (size_t i = 0; i < list.rows.size(); ++i)
    if (list.is_changed[i] || has_ended(list.rows[i])) {
      positions.push_back(int64_t(i));
      rows.push_back(list.rows[i]);
    }
  list.step = -1;
  return rows;
}

} // namespace tutti::runtime::servers
