// Taking and freeing slots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowSlots.h"

namespace tutti::runtime::servers {

void RowSlots::tell_kept(const int64_t *rows, int64_t count, bool *is_kept) const {
  for (int64_t i = 0; i < count; ++i)
    places.prefetch(rows[i]);
  for (int64_t i = 0; i < count; ++i)
    is_kept[i] = find(rows[i]) != none;
}

int64_t RowSlots::take(int64_t row) {
  int64_t slot = next;
  if (!free.empty()) {
    slot = free.back();
    free.pop_back();
  } else if (++next > slot_count) {
    next = slot_count;
    return none;
  }
  if (places.set(row, uint32_t(slot + 1)))
    return slot;
  free.push_back(uint32_t(slot));
  return none;
}

void RowSlots::release(int64_t row) {
  int64_t slot = find(row);
  if (slot == none)
    return;
  places.erase(row);
  free.push_back(uint32_t(slot));
}

} // namespace tutti::runtime::servers
