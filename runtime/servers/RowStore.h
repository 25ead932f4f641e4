// The rows of a table in memory, made when they are first used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWSTORE_H
#define TUTTI_RUNTIME_SERVERS_ROWSTORE_H

#include "runtime/servers/FirstRows.h"

#include <memory>
#include <vector>

namespace tutti::runtime::servers {

/// Each row with its states behind it. Addresses are reserved for the whole table; memory is taken
/// by the pages whose rows are used. One thread at a time.
class RowStore {
public:
  static Result<RowStore> make(const worker::ServedTable &table, FirstRows first);

  /// Row `index`, which is there from then on; the store's.
  char *row(int64_t index);
  /// How many rows have been used.
  int64_t used() const { return made_count; }
  int64_t row_bytes() const { return bytes_of_row; }
  /// Of a row with its states.
  int64_t whole_bytes() const { return stride; }

private:
  struct Unmap {
    size_t bytes;
    void operator()(char *memory) const;
  };

  FirstRows first;
  std::unique_ptr<char, Unmap> memory{nullptr, Unmap{0}};
  std::vector<bool> made;
  int64_t made_count = 0, bytes_of_row = 0, stride = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWSTORE_H
