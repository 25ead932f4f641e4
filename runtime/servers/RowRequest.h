// What a worker asks of one server, whichever way it is brought there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWREQUEST_H
#define TUTTI_RUNTIME_SERVERS_ROWREQUEST_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::runtime::servers {

/// Rows of one table. The caller owns the memory, and keeps it until the request is served.
struct RowPart {
  int64_t table = 0;
  std::string_view indices = {}; ///< int64 each, of the table; but for a push each row once
  /// Of a pull: its rows are those of the last prefetch. It names none, and wants those that have
  /// changed since.
  bool is_prefetched = false;
  std::string_view gradients = {}; ///< of a push: one a row, as they travel
  std::string_view scalars = {};   ///< of a push: what the update takes beside
  /// Of a row as it travels, for a worker that makes room for the answer. Servers go by the table.
  int64_t row_bytes = 0;

  int64_t count() const { return int64_t(indices.size() / sizeof(int64_t)); }
};

/// As RowPart has them. Memory stays the caller's.
inline std::string_view indices_of(const std::vector<int64_t> &rows) {
  return {reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(int64_t)};
}

/// One message of a worker, about one step.
struct RowRequest {
  enum class Kind {
    pull,     ///< rows as they are before the step
    prefetch, ///< rows that the step will pull, as they are now; forgets those of the prefetch
              ///< before
    push      ///< gradients of the step
  };

  Kind kind = Kind::pull;
  bool states = false; ///< of a pull: each row with those of the optimizer, after it
  int64_t worker = -1; ///< who asks, as the way says by which it comes; -1: nobody who pushes
  int64_t step = 0;
  std::vector<RowPart> parts = {}; ///< each of another table
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWREQUEST_H
