// The rows of a table that a server has, made when they are first updated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWSTORE_H
#define TUTTI_RUNTIME_SERVERS_ROWSTORE_H

#include "runtime/servers/FirstRows.h"
#include "runtime/servers/RowLives.h"
#include "runtime/servers/storage/RowStorage.h"

#include <array>

namespace tutti::runtime::servers {

/// How a server keeps the rows of a table.
struct StoreOptions {
  StorageChoice storage;
  RowRules rules;
};

struct StoreStatistics : StorageStatistics {
  int64_t used = 0;     ///< rows that are kept
  int64_t admitted = 0; ///< how often a row began to be kept
  int64_t evicted = 0;  ///< how often one ended to be
};

/// Each row with its states after it. Rows that no update reached are not kept: they are computed
/// when they are read. One thread at a time.
class RowStore {
public:
  static Result<RowStore> make(const worker::ServedTable &table, FirstRows first,
                               const StoreOptions &options = {});

  /// Copies `count` rows as they are before step `step`; with `states`, each with its states.
  Error read(int64_t step, const int64_t *rows, int64_t count, bool states, char *out);

  /// Opens rows, all distinct, for their update in step `step`: places[i] is where row `rows[i]` is
  /// until the next call, or null if the rules do not keep it yet. At most most_rows() at once.
  Error open(int64_t step, const int64_t *rows, int64_t count, char **places);
  int64_t most_rows() const;

  /// All updates of step `step` are done.
  Error end_step(int64_t step);
  /// While it is held, rows whose time is over stay where they are, to be read as they were.
  void hold(bool is_held) { this->is_held = is_held; }

  /// Whether a row that no update reached may be another before step `step` than it was earlier:
  /// its time may be over.
  bool has_ended(int64_t row, int64_t step) const {
    return lives.evicts() && !lives.has(row, step);
  }

  /// What a checkpoint has: RowLives as they are, and rows as read() gives them.
  const RowLives &all_lives() const { return lives; }
  /// Keeps `count` rows of an empty store, all distinct, with their states: rows[i] with life
  /// lives[i], as RowLives told it.
  Error keep(const int64_t *rows, const int64_t *lives, int64_t count, const char *values);
  /// Forgets all rows.
  Error clear();
  /// From now on an empty store keeps rows by these; whole variables are kept by none.
  Error set_rules(const RowRules &rules);

  StoreStatistics statistics() const;
  int64_t row_bytes() const { return bytes_of_row; }
  /// Of a row with its states.
  int64_t whole_bytes() const { return stride; }

private:
  static constexpr int64_t most_at_once = 1024;

  void find_kept(int64_t step, const int64_t *rows, int64_t count);
  void let_go_of_first();

  FirstRows first;
  RowLives lives;
  std::unique_ptr<RowStorage> storage;
  bool is_whole = false;   ///< it has one row, which is a variable
  bool is_bounded = false; ///< memory is
  bool is_held = false;
  int64_t row_count = 0, bytes_of_row = 0, stride = 0;
  int64_t first_rows = 0; ///< that were computed since their source was let go of
  std::vector<int64_t> gone;

  /// Of the rows of one call that are asked of the storage.
  struct Asked {
    std::array<int64_t, most_at_once> rows, from;   ///< `from`: the place in the call
    std::array<bool, most_at_once> is_kept, is_new; ///< `is_kept`: of the call, by its places
    std::array<char *, most_at_once> places;
  };
  std::unique_ptr<Asked> asked;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWSTORE_H
