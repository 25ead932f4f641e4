// The rows of a table as they were after a step, while later steps change them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_TABLESAVE_H
#define TUTTI_RUNTIME_SERVERS_TABLESAVE_H

#include "runtime/servers/Table.h"

#include <atomic>
#include <memory>
#include <unordered_map>

namespace tutti::runtime::servers {

/// What saves have put aside, of all tables of a server together.
struct Aside {
  int64_t most_bytes = int64_t(256) << 20;
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> rows_read{0}; ///< of all tables, which makes room
};

/// Nothing is copied when the step comes but which rows there are. They are read in pieces; rows
/// that change before they were read are put aside as they were. Pushes wait as long as more than
/// is allowed lies aside, so it is exceeded by one update of each table at most. One a table at a
/// time; one thread reads.
class TableSave final : Table::Watcher {
public:
  /// Of `table`, which must outlive it, after `step` steps; those may still have to come. An
  /// asynchronous table is saved after as many pushes of each worker as `workers` says, if it is
  /// held until then. `shared` must outlive it.
  TableSave(Table &table, int64_t step, Aside &shared, const std::vector<int64_t> &workers = {})
      : table(table), step(step), shared(shared), refusal(table.watch(this, workers)) {}
  ~TableSave() override;
  TableSave(const TableSave &) = delete;

  /// Until the table comes after the step, at most `seconds`. It must before anything is read.
  Error wait(double seconds);
  /// How many rows are kept, or counted by the rules that keep them.
  int64_t count() const { return rows; }
  bool has_lives() const { return rules; } ///< whether these rules are in force

  /// Some rows, in ascending order, each with its states.
  struct Piece {
    std::vector<int64_t> indices, lives; ///< `lives`: RowLives::life
    std::vector<char> values;
  };
  /// The next indices alone; none at the end.
  std::vector<int64_t> more_indices();
  /// The next rows; none at the end. It lasts until the next call.
  Result<const Piece *> more_rows();

private:
  struct Kept {
    int64_t life;
    std::unique_ptr<char[]> values;
  };

  void stands_after(int64_t steps, const RowStore &store) override;
  void before_change(RowStore &store, const std::vector<int64_t> &changing) override;
  bool has_room() const override { return shared.bytes < shared.most_bytes; }
  int64_t progress() const override { return shared.rows_read; }
  void is_given_up(const Error &why) override;
  void forget_aside();
  Error put_aside(RowStore &store, const std::vector<int64_t> &changing);
  Error read(RowStore &store);
  std::vector<int64_t> find(int64_t first) const;

  Table &table;
  int64_t step;
  Aside &shared;
  std::mutex mutex; ///< of all below, until the step has come
  std::condition_variable begun;
  int64_t stood = -1; ///< after how many steps the table was when that was seen last
  bool has_begun = false;
  int64_t as_of = 0; ///< the step before which the rows are what is saved
  LazyBits alive;    ///< after the step
  int64_t rows = 0;
  bool rules = false;
  Error problem;          ///< from then on of the table's lock, as what follows
  int64_t next_row = 0;   ///< from which index on rows were not read
  int64_t next_index = 0; ///< the same of indices; the reader's alone
  std::unordered_map<int64_t, Kept> aside;
  Piece piece;
  Error refusal; ///< of the table; last, as the table may call back while it is made
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_TABLESAVE_H
