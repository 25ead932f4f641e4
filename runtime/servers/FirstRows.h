// What the rows of a table are before anybody updated them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_FIRSTROWS_H
#define TUTTI_RUNTIME_SERVERS_FIRSTROWS_H

#include "runtime/host/program/Manifest.h"

#include <algorithm>
#include <string_view>

namespace tutti::runtime::servers {

/// The first values of rows: given as a whole, or random numbers that depend on the seed, the name
/// of the table and the index of the row alone. Used from any thread.
class FirstRows {
public:
  /// Of `table`, f32 or f64. `given` holds the values of a table whose values are given; it stays
  /// the caller's and is read when a row is first used; `is_mapped`: it is a file, mapped for
  /// reading. An error says what is wrong with them.
  static Result<FirstRows> make(const worker::ServedTable &table, uint64_t seed,
                                std::string_view given, bool is_mapped = false);

  /// Writes row `index`; with `states`, after it the first values of its states.
  void write(int64_t index, char *row, bool states) const;
  /// The caller will write row `index` soon.
  void prefetch(int64_t index) const {
    constexpr int64_t most = 256; // bytes; processors go on by themselves
    for (int64_t byte = 0; byte < std::min(given_bytes, most); byte += 64)
      __builtin_prefetch(given.data() + index * given_bytes + byte);
  }
  /// Gives back memory that was taken to read what is given; it is read again when it is needed.
  void let_go() const;

private:
  template <typename T> void write_as(int64_t index, T *row, bool states) const;

  worker::ServedTable table;
  uint64_t seed;
  std::string_view given;
  bool is_mapped = false;
  int64_t given_bytes = 0; ///< of a row
  uint32_t key;            ///< a hash of the table's name
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_FIRSTROWS_H
