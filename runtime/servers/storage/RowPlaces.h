// Numbers of rows, found by their index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_ROWPLACES_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_ROWPLACES_H

#include "runtime/servers/storage/LazyArray.h"

namespace tutti::runtime::servers {

/// A number, not 0, for some of the rows of a table. While they are few it is a hash table with
/// linear probing, whose size and whose way to a row follow from how many they are; where that
/// would take as much memory as an array with a number for each row of the table, it is that array.
class RowPlaces {
public:
  static Result<RowPlaces> make(int64_t rows);

  /// The number of `row`; 0: it has none.
  uint32_t find(int64_t row) const {
    return is_array ? array[row] : entries[position_of(row)].number;
  }
  void prefetch(int64_t row) const {
    __builtin_prefetch(is_array ? static_cast<const void *>(&array[row])
                                : static_cast<const void *>(&entries[home_of(row)]));
  }
  /// Gives `row`, which has none, a number. False if there are no addresses for it.
  bool set(int64_t row, uint32_t number);
  /// Takes the number of `row`, which has one.
  void erase(int64_t row);

  /// Of memory.
  int64_t bytes() const {
    if (used == 0)
      return 0;
    return is_array ? touched_pages * page_bytes : capacity() * int64_t(sizeof(Entry));
  }

private:
  struct Entry {
    uint32_t row, number; ///< 0: nothing is here
  };
  static constexpr int64_t rows_of_page = page_bytes / int64_t(sizeof(uint32_t));

  int64_t capacity() const { return int64_t(1) << bits; }
  int64_t home_of(int64_t row) const {
    return int64_t(uint64_t(row) * 0x9E3779B97F4A7C15u >> (64 - bits)); // Knuth, TAOCP 3, 6.4
  }
  /// Where `row` is, or would be.
  int64_t position_of(int64_t row) const {
    int64_t position = home_of(row);
    while (entries[position].number != 0 && entries[position].row != uint32_t(row))
      position = (position + 1) & (capacity() - 1);
    return position;
  }
  bool grow();
  bool become_array();
  void set_in_array(int64_t row, uint32_t number);

  int64_t rows = 0, used = 0;
  int bits = 0;
  LazyArray<Entry> entries;
  bool is_array = false;
  LazyArray<uint32_t> array;
  LazyBits touched; ///< pages of `array`
  int64_t touched_pages = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_ROWPLACES_H
