// Which rows come from where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowStore.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::servers {

Result<RowStore> RowStore::make(const worker::ServedTable &table, FirstRows first,
                                const StoreOptions &options) {
  RowStore store;
  store.first = std::move(first);
  store.bytes_of_row = table.row_bytes();
  store.stride = table.held_bytes();
  store.is_bounded = options.storage.kind != StorageChoice::Kind::memory;
  auto storage = RowStorage::make(options.storage, {table.name, table.rows(), store.stride});
  if (!storage)
    return storage.error();
  store.storage = std::move(*storage);
  store.is_whole = table.is_whole;
  store.row_count = table.rows();
  if (Error error = store.set_rules(options.rules))
    return error;
  store.asked = std::make_unique<Asked>();
  return store;
}

int64_t RowStore::most_rows() const { return std::min(most_at_once, storage->most_rows()); }

Error RowStore::read(int64_t step, const int64_t *rows, int64_t count, bool states, char *out) {
  int64_t bytes = states ? stride : bytes_of_row;
  asked->is_new.fill(false);
  for (int64_t begin = 0, some; begin < count; begin += some) {
    some = std::min(most_rows(), count - begin);
    find_kept(step, rows + begin, some);
    int64_t found = 0;
    for (int64_t i = begin; i < begin + some; ++i)
      if (asked->is_kept[i - begin]) {
        asked->rows[found] = rows[i];
        asked->from[found++] = i;
      } else {
        first.write(rows[i], out + i * bytes, states);
        ++first_rows;
      }
    RowSelection selection = {asked->rows.data(), asked->is_new.data(), found, /*changes=*/false};
    if (Error error = storage->open(selection, asked->places.data()))
      return error;
    for (int64_t i = 0; i < found; ++i)
      std::memcpy(out + asked->from[i] * bytes, asked->places[i], bytes);
    let_go_of_first();
  }
  return Error::success();
}

/// Says of each row whether it is kept before step `step`. Rows of a large table lie far apart,
/// each after a wait for memory: all waits begin at once. Where only what was pushed matters, the
/// way to a row tells it, which is as long as rows are used; else the lives do, which are as long
/// as the table.
void RowStore::find_kept(int64_t step, const int64_t *rows, int64_t count) {
  if (lives.has_rules() || !storage->tell_kept(rows, count, asked->is_kept.data())) {
    for (int64_t i = 0; i < count; ++i)
      lives.prefetch(rows[i]);
    for (int64_t i = 0; i < count; ++i)
      asked->is_kept[i] = lives.has(rows[i], step);
  }
  for (int64_t i = 0; i < count; ++i)
    if (!asked->is_kept[i])
      first.prefetch(rows[i]);
}

Error RowStore::open(int64_t step, const int64_t *rows, int64_t count, char **places) {
  find_kept(step, rows, count);
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    bool is_known = asked->is_kept[i] && !lives.has_rules();
    RowLives::Admission admission =
        is_known ? RowLives::Admission::known : lives.push(rows[i], step);
    places[i] = nullptr;
    if (admission == RowLives::Admission::counted)
      continue;
    asked->rows[found] = rows[i];
    asked->from[found] = i;
    asked->is_new[found++] = admission == RowLives::Admission::fresh;
  }
  RowSelection selection = {asked->rows.data(), asked->is_new.data(), found, /*changes=*/true};
  if (Error error = storage->open(selection, asked->places.data()))
    return error;
  for (int64_t i = 0; i < found; ++i) {
    places[asked->from[i]] = asked->places[i];
    if (asked->is_new[i]) {
      first.write(asked->rows[i], asked->places[i], /*states=*/true);
      ++first_rows;
    }
  }
  let_go_of_first();
  return Error::success();
}

/// Each row that is read from a file of first values brings its neighbours into memory.
void RowStore::let_go_of_first() {
  constexpr int64_t many = 1024; // 64 MiB, if each brings 16 pages
  if (!is_bounded || first_rows < many)
    return;
  first.let_go();
  first_rows = 0;
}

Error RowStore::keep(const int64_t *rows, const int64_t *told, int64_t count, const char *values) {
  asked->is_new.fill(true);
  for (int64_t begin = 0, some; begin < count; begin += some) {
    some = std::min(most_rows(), count - begin);
    int64_t found = 0;
    for (int64_t i = begin; i < begin + some; ++i)
      if (lives.restore(rows[i], told[i])) {
        asked->rows[found] = rows[i];
        asked->from[found++] = i;
      }
    RowSelection selection = {asked->rows.data(), asked->is_new.data(), found, /*changes=*/true};
    if (Error error = storage->open(selection, asked->places.data()))
      return error;
    for (int64_t i = 0; i < found; ++i)
      std::memcpy(asked->places[i], values + asked->from[i] * stride, stride);
  }
  return Error::success();
}

Error RowStore::set_rules(const RowRules &rules) {
  // Steps need whole variables whatever was pushed.
  auto made = RowLives::make(row_count, is_whole ? RowRules() : rules);
  if (!made)
    return made.error();
  lives = std::move(*made);
  return Error::success();
}

Error RowStore::clear() {
  std::vector<int64_t> all;
  const LazyBits &kept = lives.all();
  for (int64_t row = kept.find(0, kept.size()); row < kept.size();
       row = kept.find(row + 1, kept.size()))
    all.push_back(row);
  if (Error error = lives.clear())
    return error;
  return all.empty() ? Error::success() : storage->forget(all.data(), int64_t(all.size()));
}

Error RowStore::end_step(int64_t step) {
  if (is_held)
    return Error::success();
  gone.clear();
  lives.end_step(step, gone);
  return gone.empty() ? Error::success() : storage->forget(gone.data(), int64_t(gone.size()));
}

StoreStatistics RowStore::statistics() const {
  StoreStatistics all;
  static_cast<StorageStatistics &>(all) = storage->statistics();
  all.used = lives.used();
  all.admitted = lives.admitted();
  all.evicted = lives.evicted();
  return all;
}

} // namespace tutti::runtime::servers
