// Rows in memory in front of a slower place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_ROWCACHE_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_ROWCACHE_H

#include "runtime/servers/storage/LazyArray.h"

#include <vector>

namespace tutti::runtime::servers {

/// A fixed number of slots, found by the index of their row, with a clock that says which of them
/// are free next.
class RowCache {
public:
  static constexpr int64_t none = -1;

  /// As many slots as fit into `bytes`, at least 2, with what is needed to find them.
  static Result<RowCache> make(int64_t row_bytes, int64_t bytes);

  int64_t slots() const { return slot_count; }
  int64_t used() const { return used_slots - int64_t(free.size()); }
  /// Where `row` is; none if it is not here.
  int64_t find(int64_t row) const;
  /// Gives `row`, which is not here, a free slot; there must be one.
  int64_t insert(int64_t row);
  /// Frees `slot`.
  void remove(int64_t slot);
  /// A slot that nobody has touched for a while, and that is not held. There must be one.
  int64_t oldest();

  char *bytes(int64_t slot) { return rows.data() + slot * row_bytes; }
  int64_t row(int64_t slot) const { return owners[slot] - 1; }

  enum Mark : uint8_t { touched = 1, changed = 2, held = 4 };
  uint8_t &marks(int64_t slot) { return all_marks[slot]; }

private:
  int64_t home(int64_t row) const;
  int64_t place_of(int64_t row) const;

  LazyMemory rows;
  LazyArray<int64_t> owners; ///< of each slot its row + 1; 0: it is free
  LazyArray<uint8_t> all_marks;
  LazyArray<uint32_t> places; ///< open addressing: a slot + 1; 0: nothing
  std::vector<uint32_t> free;
  int64_t row_bytes = 0, slot_count = 0, place_count = 0, used_slots = 0, hand = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_ROWCACHE_H
