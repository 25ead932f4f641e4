// Where rows lie that are kept one after the other, in the order in which they came.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_ROWSLOTS_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_ROWSLOTS_H

#include "runtime/servers/storage/RowPlaces.h"
#include "runtime/servers/storage/RowStorage.h"

#include <algorithm>
#include <vector>

namespace tutti::runtime::servers {

/// Gives each row that is kept a slot. Slots are as dense as rows are many: of a table of which few
/// rows are used, few pages are, and rows that are used together come together.
class RowSlots {
public:
  static constexpr int64_t none = -1, most = int64_t(UINT32_MAX) - 1;

  static Result<RowSlots> make(const RowFormat &format) {
    RowSlots slots;
    slots.bytes = format.bytes;
    slots.slot_count = std::min(format.rows, most);
    Result<RowPlaces> places = RowPlaces::make(format.rows);
    if (!places)
      return places.error();
    slots.places = std::move(*places);
    return slots;
  }

  /// The slot of `row`, if it has one.
  int64_t find(int64_t row) const { return int64_t(places.find(row)) - 1; }
  void prefetch(int64_t row) const { places.prefetch(row); }
  /// Which of the rows have a slot. They lie far apart: all waits for memory begin at once.
  void tell_kept(const int64_t *rows, int64_t count, bool *is_kept) const;
  /// Gives `row`, which has none, a slot; none if there are no more.
  int64_t take(int64_t row);
  /// Frees the slot of `row`, if it has one.
  void release(int64_t row);

  /// The pages in which a slot is.
  int64_t first_page(int64_t slot) const { return slot * bytes / page_bytes; }
  int64_t last_page(int64_t slot) const { return ((slot + 1) * bytes - 1) / page_bytes; }
  /// The most pages in which a slot is.
  int64_t pages_of_slot() const { return (bytes + page_bytes - 2) / page_bytes + 1; }
  /// Pages of all slots there can be.
  int64_t pages() const { return (slot_count * bytes + page_bytes - 1) / page_bytes; }

  /// Bytes of the slots that were ever taken.
  int64_t used_bytes() const { return next * bytes; }
  /// Of memory that knows where rows are.
  int64_t own_bytes() const { return places.bytes(); }

private:
  RowPlaces places; ///< of each row its slot + 1
  std::vector<uint32_t> free;
  int64_t bytes = 1, slot_count = 0, next = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_ROWSLOTS_H
