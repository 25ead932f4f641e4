// Rows and gradients on their way between workers and servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWWIRE_H
#define TUTTI_RUNTIME_SERVERS_ROWWIRE_H

#include "runtime/host/program/Manifest.h"

namespace tutti::runtime::servers {

/// As what the rows of a table travel: each number for itself, so that neither the order nor the
/// division of rows changes it.
class RowWire {
public:
  RowWire() = default;
  explicit RowWire(worker::ServedTable::Wire wire) : wire(wire) {}

  bool is_plain() const { return wire == worker::ServedTable::Wire::none; }
  /// On the way, of `bytes` of a table.
  int64_t bytes_of(int64_t bytes) const { return is_plain() ? bytes : bytes / 2; }
  /// From a table's numbers of `bytes` bytes to what travels, and back.
  void pack(const char *numbers, int64_t bytes, char *packed) const;
  void unpack(const char *packed, int64_t bytes, char *numbers) const;

private:
  worker::ServedTable::Wire wire = worker::ServedTable::Wire::none;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWWIRE_H
