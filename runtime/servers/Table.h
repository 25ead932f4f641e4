// A table as a server has it: pulls wait for the step that they ask for, pushes for each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLE_H
#define TUTTI_RUNTIME_SERVERS_TABLE_H

#include "runtime/servers/RowUpdate.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

namespace tutti::runtime::servers {

/// Synchronous training: in each step every worker pushes once, and the rows are updated once, with
/// the gradients of all workers. Gradients of a row are added up in the order of the workers,
/// starting from 0; each worker's in the order of its list. So the result depends neither on who
/// comes first nor on how many servers share the table. Any number of threads.
class Table {
public:
  Table(const worker::ServedTable &table, int64_t workers, RowStore store, RowUpdate update)
      : table(table), workers(workers), store(std::move(store)), update(std::move(update)) {}

  /// Copies `count` rows, as they are before step `step`, to `out`; with `states`, each with what
  /// the optimizer keeps of it behind it. Waits for the updates of the steps before it, at most
  /// `seconds`.
  Error pull(int64_t step, const int64_t *rows, int64_t count, char *out, double seconds,
             bool states = false);

  /// Takes the gradients of worker `worker` in step `step`. The last of the workers updates. A push
  /// that was taken before is not taken again.
  Error push(int64_t worker, int64_t step, const int64_t *rows, int64_t count,
             const char *gradients, std::string_view scalars);

  /// Wakes all who wait, with `why`: the run has failed.
  void abandon(const Error &why);

  /// Of what a pull copies for each row.
  int64_t bytes_of(bool states) const { return states ? store.whole_bytes() : store.row_bytes(); }
  /// How many steps the rows have seen.
  int64_t steps() const;

private:
  struct Push {
    std::vector<int64_t> rows;
    std::vector<char> gradients;
  };
  struct Step {
    std::vector<std::optional<Push>> pushes; ///< by worker
    std::string scalars;
    int64_t first_worker = -1; ///< who brought the scalars
    int64_t arrived = 0;
  };

  Error apply(const Step &step);
  template <typename T> Error apply_as(const Step &step);
  Error check_rows(const int64_t *rows, int64_t count) const;

  worker::ServedTable table;
  int64_t workers;
  mutable std::mutex mutex; ///< of all below
  std::condition_variable changed;
  RowStore store;
  RowUpdate update;
  std::map<int64_t, Step> open; ///< steps of which some pushes have come
  int64_t applied = 0;
  std::optional<Error> failure;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_TABLE_H
