// Which pages hold which rows, where rows lie one behind the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_STORAGE_PAGEROWS_H
#define TUTTI_RUNTIME_SERVERS_STORAGE_PAGEROWS_H

#include "runtime/servers/storage/RowStorage.h"

#include <algorithm>

namespace tutti::runtime::servers {

/// Pure.
class PageRows {
public:
  PageRows() = default;
  explicit PageRows(const RowFormat &format) : rows(format.rows), bytes(format.bytes) {}

  int64_t row_bytes() const { return bytes; }
  int64_t count() const { return (rows * bytes + page_bytes - 1) / page_bytes; }
  /// Of whole pages.
  int64_t all_bytes() const { return count() * page_bytes; }
  int64_t first(int64_t row) const { return row * bytes / page_bytes; }
  int64_t last(int64_t row) const { return ((row + 1) * bytes - 1) / page_bytes; }
  /// The most pages of which a row has a part.
  int64_t pages_of_row() const { return (bytes + page_bytes - 2) / page_bytes + 1; }
  /// Whether a part of any row of `kept` is in `page`.
  bool has_any(int64_t page, const LazyBits &kept) const {
    int64_t begin = page * page_bytes / bytes;
    int64_t end = std::min(rows, ((page + 1) * page_bytes - 1) / bytes + 1);
    return kept.find(begin, end) < end;
  }

private:
  int64_t rows = 0, bytes = 1;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_STORAGE_PAGEROWS_H
