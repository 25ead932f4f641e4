// Taking and freeing slots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/RowSlots.h"

namespace tutti::runtime::servers {

int64_t RowSlots::take(int64_t row) {
  int64_t slot = next;
  if (!free.empty()) {
    slot = free.back();
    free.pop_back();
  } else if (++next > slot_count) {
    next = slot_count;
    return none;
  }
  places[row] = uint32_t(slot + 1);
  int64_t page = row / rows_of_page;
  touched_pages += !touched[page];
  touched.set(page);
  return slot;
}

void RowSlots::release(int64_t row) {
  int64_t slot = find(row);
  if (slot == none)
    return;
  places[row] = 0;
  free.push_back(uint32_t(slot));
}

} // namespace tutti::runtime::servers
