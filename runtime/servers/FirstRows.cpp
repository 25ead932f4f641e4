// First values of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/FirstRows.h"

#include "runtime/support/Fnv1a.h"
#include "runtime/support/Names.h"
#include "runtime/support/Philox.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tutti::runtime::servers {

using worker::ServedTable;

Result<FirstRows> FirstRows::make(const ServedTable &table, uint64_t seed, std::string_view given,
                                  bool is_mapped) {
  if (table.type != TUTTI_F32 && table.type != TUTTI_F64)
    return Error::make(TUTTI_UNSUPPORTED, "table '", table.name, "' is of type ",
                       type_name(table.type), "; servers hold tables of f32 and f64");
  int64_t bytes = table.rows() * table.row_bytes();
  if (table.initial.distribution == ServedTable::Distribution::given &&
      int64_t(given.size()) != bytes)
    return Error::make(TUTTI_BAD_DATA, "table '", table.name, "' begins as ", bytes,
                       " bytes, but is given ", given.size());
  FirstRows rows;
  rows.table = table;
  rows.seed = seed;
  rows.given = given;
  rows.is_mapped = is_mapped;
  rows.given_bytes = given.empty() ? 0 : table.row_bytes();
  rows.key = uint32_t(fnv1a(table.name));
  return rows;
}

namespace {
/// Random numbers of one row: block i is philox of (i, row, key) under the seed.
class RowNumbers {
public:
  RowNumbers(uint64_t seed, uint32_t key, int64_t row) : seed(seed), key(key), row(row) {}

  /// In [0, 1), of 32 random bits.
  double next() {
    if (used == 4) {
      words = philox({block++, uint32_t(row), uint32_t(row >> 32), key},
                     {uint32_t(seed), uint32_t(seed >> 32)});
      used = 0;
    }
    return words[used++] * 0x1p-32;
  }

private:
  uint64_t seed;
  uint32_t key, block = 0;
  int64_t row;
  Words words;
  int used = 4;
};
} // namespace

template <typename T> void FirstRows::write_as(int64_t index, T *row, bool states) const {
  int64_t elements = table.row_elements();
  RowNumbers numbers(seed, key, index);
  switch (table.initial.distribution) {
  case ServedTable::Distribution::given:
    std::memcpy(row, given.data() + index * elements * sizeof(T), elements * sizeof(T));
    break;
  case ServedTable::Distribution::uniform:
    if (table.initial.first == table.initial.second) {
      std::fill_n(row, elements, T(table.initial.first));
      break;
    }
    for (int64_t i = 0; i < elements; ++i)
      row[i] =
          T(table.initial.first + (table.initial.second - table.initial.first) * numbers.next());
    break;
  case ServedTable::Distribution::normal: // Box and Muller
    for (int64_t i = 0; i < elements; i += 2) {
      double radius = table.initial.second * std::sqrt(-2 * std::log(1 - numbers.next()));
      double angle = 2 * M_PI * numbers.next();
      row[i] = T(table.initial.first + radius * std::cos(angle));
      if (i + 1 < elements)
        row[i + 1] = T(table.initial.first + radius * std::sin(angle));
    }
    break;
  }
  row += elements;
  for (size_t state = 0; states && state < table.states.size(); ++state)
    row = std::fill_n(row, table.states[state].is_per_row ? 1 : elements,
                      T(table.states[state].value));
}

void FirstRows::write(int64_t index, char *row, bool states) const {
  if (table.type == TUTTI_F32)
    write_as(index, reinterpret_cast<float *>(row), states);
  else
    write_as(index, reinterpret_cast<double *>(row), states);
}

void FirstRows::let_go() const {
  if (!is_mapped || given.empty())
    return;
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t begin = reinterpret_cast<uintptr_t>(given.data()) / page * page;
  uintptr_t end = reinterpret_cast<uintptr_t>(given.data() + given.size());
  madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

} // namespace tutti::runtime::servers
