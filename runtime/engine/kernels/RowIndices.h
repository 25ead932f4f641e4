// The indices of a list of rows as a kernel gets them, checked one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_KERNELS_ROWINDICES_H
#define TUTTI_RUNTIME_ENGINE_KERNELS_ROWINDICES_H

#include <cstdint>
#include <string>

namespace tutti::runtime::kernels {

/// Reads i32 or i64 indices into a table. Owns nothing.
class RowIndices {
public:
  /// `name` are the words after a kernel's parameters that say whose list it is. Throws
  /// std::invalid_argument if a size is impossible.
  RowIndices(const void *indices, int64_t count, int64_t index_bytes, int64_t table_rows,
             bool may_be_unused, const int64_t *name);

  int64_t size() const { return count; }
  int64_t unused() const { return table_rows; }
  /// Entry `i` counted from 0, or unused(). Throws std::out_of_range, with the name, the index and
  /// the range, if there is no such row.
  int64_t operator[](int64_t i) const {
    int64_t index = index_bytes == 8 ? static_cast<const int64_t *>(indices)[i]
                                     : static_cast<const int32_t *>(indices)[i];
    int64_t row = index < 0 ? index + table_rows : index;
    if (uint64_t(row) >= limit)
      refuse(index, i);
    return row;
  }

private:
  [[noreturn]] void refuse(int64_t index, int64_t position) const;

  const void *indices;
  int64_t count, index_bytes, table_rows;
  uint64_t limit; ///< rows from here on do not exist
  const int64_t *name;
};

/// Writes `value` as entry `i` of indices of `index_bytes` each.
inline void store_index(void *indices, int64_t index_bytes, int64_t i, int64_t value) {
  if (index_bytes == 8)
    static_cast<int64_t *>(indices)[i] = value;
  else
    static_cast<int32_t *>(indices)[i] = int32_t(value);
}

} // namespace tutti::runtime::kernels

#endif // TUTTI_RUNTIME_ENGINE_KERNELS_ROWINDICES_H
