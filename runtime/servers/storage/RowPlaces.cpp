// Growing, from a hash table to an array.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowPlaces.h"

namespace tutti::runtime::servers {

Result<RowPlaces> RowPlaces::make(int64_t rows) {
  RowPlaces places;
  places.rows = rows;
  places.bits = 6;
  Result<LazyArray<Entry>> entries = LazyArray<Entry>::make(places.capacity());
  if (!entries)
    return entries.error();
  places.entries = std::move(*entries);
  bool is_too_long = rows > int64_t(UINT32_MAX); // for what an entry says of a row
  if (is_too_long && !places.become_array())
    return Error::make(TUTTI_OUT_OF_MEMORY, "no addresses for the places of ", rows, " rows");
  return places;
}

bool RowPlaces::set(int64_t row, uint32_t number) {
  if (!is_array && 2 * (used + 1) > capacity() && !grow())
    return false;
  ++used;
  if (is_array)
    set_in_array(row, number);
  else
    entries[position_of(row)] = {uint32_t(row), number};
  return true;
}

void RowPlaces::set_in_array(int64_t row, uint32_t number) {
  array[row] = number;
  int64_t page = row / rows_of_page;
  touched_pages += !touched[page];
  touched.set(page);
}

/// What came after the gap and found no room before it moves into it.
void RowPlaces::erase(int64_t row) {
  --used;
  if (is_array)
    return (void)(array[row] = 0);
  int64_t last = capacity() - 1, gap = position_of(row);
  for (int64_t next = (gap + 1) & last; entries[next].number != 0; next = (next + 1) & last) {
    int64_t home = home_of(entries[next].row);
    bool may_move = ((next - home) & last) >= ((next - gap) & last);
    if (!may_move)
      continue;
    entries[gap] = entries[next];
    gap = next;
  }
  entries[gap] = {};
}

bool RowPlaces::grow() {
  if (2 * capacity() * int64_t(sizeof(Entry)) >= rows * int64_t(sizeof(uint32_t)))
    return become_array();
  Result<LazyArray<Entry>> made = LazyArray<Entry>::make(2 * capacity(), Pages::large);
  if (!made)
    return false;
  int64_t before = capacity();
  std::swap(entries, *made);
  ++bits;
  for (int64_t position = 0; position < before; ++position)
    if (Entry entry = (*made)[position]; entry.number != 0)
      entries[position_of(entry.row)] = entry;
  return true;
}

bool RowPlaces::become_array() {
  auto numbers = LazyArray<uint32_t>::make(rows);
  auto pages = LazyBits::make(rows / rows_of_page + 1);
  if (!numbers || !pages)
    return false;
  array = std::move(*numbers);
  touched = std::move(*pages);
  is_array = true;
  for (int64_t position = 0; position < capacity(); ++position)
    if (Entry entry = entries[position]; entry.number != 0)
      set_in_array(entry.row, entry.number);
  entries = {};
  return true;
}

} // namespace tutti::runtime::servers
