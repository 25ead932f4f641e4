// Rows of a table, packed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/PackedTable.h"

#include "runtime/servers/RowWire.h"

namespace tutti::runtime::servers {

Error pull_packed(Table &table, int64_t step, const std::vector<int64_t> &rows, char *packed,
                  double seconds, bool states, int64_t worker) {
  RowWire wire(table.wire());
  Table::Due due = states ? Table::Due::settled : Table::Due::in_turn;
  if (states || wire.is_plain())
    return table.pull(step, rows.data(), int64_t(rows.size()), packed, seconds, states, due,
                      worker);
  std::vector<char> numbers(rows.size() * size_t(table.bytes_of(states)));
  Error error = table.pull(step, rows.data(), int64_t(rows.size()), numbers.data(), seconds, states,
                           due, worker);
  if (!error)
    wire.pack(numbers.data(), int64_t(numbers.size()), packed);
  return error;
}

Error prefetch_packed(Table &table, int64_t worker, int64_t step, const std::vector<int64_t> &rows,
                      char *packed) {
  RowWire wire(table.wire());
  int64_t count = int64_t(rows.size());
  if (wire.is_plain())
    return table.prefetch(worker, step, rows.data(), count, packed);
  std::vector<char> numbers(rows.size() * size_t(table.bytes_of(/*states=*/false)));
  Error error = table.prefetch(worker, step, rows.data(), count, numbers.data());
  if (!error)
    wire.pack(numbers.data(), int64_t(numbers.size()), packed);
  return error;
}

Error pull_prefetched_packed(Table &table, int64_t worker, int64_t step, double seconds,
                             std::vector<int64_t> &positions, std::vector<char> &packed) {
  RowWire wire(table.wire());
  if (wire.is_plain())
    return table.pull_prefetched(worker, step, seconds, positions, packed);
  std::vector<char> numbers;
  Error error = table.pull_prefetched(worker, step, seconds, positions, numbers);
  packed.resize(size_t(wire.bytes_of(int64_t(numbers.size()))));
  if (!error)
    wire.pack(numbers.data(), int64_t(numbers.size()), packed.data());
  return error;
}

Error push_packed(Table &table, int64_t worker, int64_t step, const std::vector<int64_t> &rows,
                  const char *packed, std::string_view scalars, double seconds) {
  RowWire wire(table.wire());
  if (wire.is_plain())
    return table.push(worker, step, rows.data(), int64_t(rows.size()), packed, scalars, seconds);
  std::vector<char> numbers(rows.size() * size_t(table.bytes_of(/*states=*/false)));
  wire.unpack(packed, int64_t(numbers.size()), numbers.data());
  return table.push(worker, step, rows.data(), int64_t(rows.size()), numbers.data(), scalars,
                    seconds);
}

int64_t packed_bytes(const Table &table, bool states) {
  int64_t bytes = table.bytes_of(states);
  return states ? bytes : RowWire(table.wire()).bytes_of(bytes);
}

} // namespace tutti::runtime::servers
