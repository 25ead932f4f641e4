// Finding rows, and forgetting them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowCache.h"

#include <algorithm>

namespace tutti::runtime::servers {

Result<RowCache> RowCache::make(int64_t row_bytes, int64_t bytes) {
  // Four places a slot at most, of which a power of 2 is taken: at least half of them are empty.
  int64_t of_slot = row_bytes + int64_t(sizeof(int64_t) + 1 + 5 * sizeof(uint32_t));
  RowCache cache;
  cache.row_bytes = row_bytes;
  cache.slot_count = std::clamp<int64_t>(bytes / of_slot, 2, UINT32_MAX - 1);
  for (cache.place_count = 4; cache.place_count < 2 * cache.slot_count;)
    cache.place_count *= 2;
  auto rows = LazyMemory::make(cache.slot_count * row_bytes);
  auto owners = LazyArray<int64_t>::make(cache.slot_count);
  auto marks = LazyArray<uint8_t>::make(cache.slot_count);
  auto places = LazyArray<uint32_t>::make(cache.place_count);
  for (const Error &error : {rows.error(), owners.error(), marks.error(), places.error()})
    if (error)
      return error;
  cache.rows = std::move(*rows);
  cache.owners = std::move(*owners);
  cache.all_marks = std::move(*marks);
  cache.places = std::move(*places);
  return cache;
}

/// Multiplicative hashing by the golden ratio; neighbours are spread.
int64_t RowCache::home(int64_t row) const {
  return int64_t((uint64_t(row) * 0x9E3779B97F4A7C15u) >> 20) & (place_count - 1);
}

/// Where `row` is noted, or the empty place where it would be.
int64_t RowCache::place_of(int64_t row) const {
  int64_t place = home(row);
  while (places[place] != 0 && owners[places[place] - 1] != row + 1)
    place = (place + 1) & (place_count - 1);
  return place;
}

int64_t RowCache::find(int64_t row) const { return int64_t(places[place_of(row)]) - 1; }

int64_t RowCache::insert(int64_t row) {
  int64_t slot = used_slots;
  if (free.empty()) {
    ++used_slots; // slots that were never used follow those that were
  } else {
    slot = free.back();
    free.pop_back();
  }
  owners[slot] = row + 1;
  all_marks[slot] = 0;
  places[place_of(row)] = uint32_t(slot + 1);
  return slot;
}

void RowCache::remove(int64_t slot) {
  int64_t hole = place_of(row(slot));
  // What was noted after the hole because its home was taken moves up.
  for (int64_t next = hole;;) {
    places[hole] = 0;
    int64_t distance;
    do {
      next = (next + 1) & (place_count - 1);
      if (places[next] == 0) {
        owners[slot] = 0;
        free.push_back(uint32_t(slot));
        return;
      }
      distance = (next - home(owners[places[next] - 1] - 1)) & (place_count - 1);
    } while (distance < ((next - hole) & (place_count - 1)));
    places[hole] = places[next];
    hole = next;
  }
}

int64_t RowCache::oldest() {
  while (true) {
    int64_t slot = hand;
    hand = hand + 1 == used_slots ? 0 : hand + 1;
    if (owners[slot] == 0 || (all_marks[slot] & held))
      continue;
    if (!(all_marks[slot] & touched))
      return slot;
    all_marks[slot] &= uint8_t(~touched);
  }
}

} // namespace tutti::runtime::servers
