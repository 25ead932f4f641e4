// Copying rows before they change, and no others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/TableSave.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace tutti::runtime::servers {
namespace {

/// The table waits while a piece is copied.
constexpr int64_t rows_of_piece = 4096;

/// Of one row, with its place in the list.
int64_t bytes_aside(int64_t whole_bytes) { return whole_bytes + 64; }

} // namespace

TableSave::~TableSave() {
  (void)table.watch(nullptr);
  forget_aside();
}

void TableSave::forget_aside() {
  shared.bytes -= int64_t(aside.size()) * bytes_aside(table.description().held_bytes());
  aside.clear();
}

Error TableSave::wait(double seconds) {
  if (refusal)
    return refusal;
  std::unique_lock<std::mutex> lock(mutex);
  bool is_there = begun.wait_for(lock, std::chrono::duration<double>(seconds),
                                 [&] { return stood >= step || problem; });
  if (problem)
    return problem;
  if (!is_there)
    return Error::make(TUTTI_STALLED, "a table was to be saved after step ", step,
                       ", but stands after step ", stood, " for ", seconds, " seconds");
  if (!has_begun)
    return Error::make(TUTTI_INVALID_ARGUMENT, "a table is to be saved after step ", step,
                       ", but stands after step ", stood, " already");
  return Error::success();
}

void TableSave::stands_after(int64_t steps, const RowStore &store) {
  std::lock_guard<std::mutex> lock(mutex);
  stood =
      table.description().is_asynchronous ? step : steps; // which workers go through each by itself
  if (stood == step && !has_begun) {
    has_begun = true;
    as_of = steps;
    Result<LazyBits> found = store.all_lives().alive(as_of);
    problem = found.error();
    rules = store.all_lives().has_rules();
    if (found)
      alive = std::move(*found);
    rows = alive.ones();
  }
  begun.notify_all();
}

void TableSave::is_given_up(const Error &why) {
  std::lock_guard<std::mutex> lock(mutex);
  problem = why;
  forget_aside();
  begun.notify_all();
}

void TableSave::before_change(RowStore &store, const std::vector<int64_t> &changing) {
  if (has_begun && !problem)
    problem = put_aside(store, changing);
}

Error TableSave::put_aside(RowStore &store, const std::vector<int64_t> &changing) {
  for (int64_t row : changing) {
    if (row < next_row || row >= alive.size() || !alive[row] || aside.count(row))
      continue;
    Kept kept = {store.all_lives().life(row),
                 std::unique_ptr<char[]>(new char[size_t(store.whole_bytes())])};
    if (Error error = store.read(as_of, &row, 1, /*states=*/true, kept.values.get()))
      return error;
    aside.emplace(row, std::move(kept));
    shared.bytes += bytes_aside(store.whole_bytes());
  }
  return Error::success();
}

std::vector<int64_t> TableSave::find(int64_t first) const {
  std::vector<int64_t> found;
  for (int64_t row = alive.find(first, alive.size());
       row < alive.size() && int64_t(found.size()) < rows_of_piece;
       row = alive.find(row + 1, alive.size()))
    found.push_back(row);
  return found;
}

std::vector<int64_t> TableSave::more_indices() {
  std::vector<int64_t> found = find(next_index);
  if (!found.empty())
    next_index = found.back() + 1;
  return found;
}

Result<const TableSave::Piece *> TableSave::more_rows() {
  piece.indices = find(next_row);
  piece.lives.resize(piece.indices.size());
  if (Error error = table.with_rows([&](RowStore &store) { return read(store); }))
    return error;
  return &piece;
}

/// Rows that are aside are read with the others, and then replaced.
Error TableSave::read(RowStore &store) {
  if (problem)
    return problem;
  int64_t bytes = store.whole_bytes();
  piece.values.resize(piece.indices.size() * size_t(bytes));
  if (Error error = store.read(as_of, piece.indices.data(), int64_t(piece.indices.size()),
                               /*states=*/true, piece.values.data()))
    return error;
  for (size_t i = 0; i < piece.indices.size(); ++i) {
    auto kept = aside.find(piece.indices[i]);
    piece.lives[i] =
        kept == aside.end() ? store.all_lives().life(piece.indices[i]) : kept->second.life;
    if (kept == aside.end())
      continue;
    std::memcpy(piece.values.data() + i * size_t(bytes), kept->second.values.get(), size_t(bytes));
    aside.erase(kept);
    shared.bytes -= bytes_aside(bytes);
  }
  shared.rows_read += int64_t(piece.indices.size());
  if (!piece.indices.empty())
    next_row = piece.indices.back() + 1;
  return Error::success();
}

} // namespace tutti::runtime::servers
