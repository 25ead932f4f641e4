// The way from a worker to one server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H
#define TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H

#include "runtime/servers/RowWire.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::runtime::servers {

/// Rows of one table that a server holds. Memory is the caller's.
struct RowPull {
  int64_t table;
  const std::vector<int64_t> &rows; ///< each once
  int64_t row_bytes;                ///< of the answer, as it travels
  bool states = false;              ///< with each row those of the optimizer, after it
  bool is_prefetched = false;       ///< they are those of the last prefetch()
};

/// Gradients of a step. Memory is the caller's.
struct RowPush {
  int64_t table, step;
  const std::vector<int64_t> &rows;
  const std::vector<int64_t> &positions; ///< of their gradients in `gradients`
  int64_t row_bytes;                     ///< in `gradients`
  const char *gradients;
  std::string_view scalars;
  RowWire wire = {}; ///< as what they travel

  /// Writes the gradients of `rows` as they travel, one after the other.
  void gather(char *out) const;
  int64_t wire_row_bytes() const { return wire.bytes_of(row_bytes); }
  int64_t wire_bytes() const { return int64_t(rows.size()) * wire_row_bytes(); }
};

/// Brings requests to a server, and its answers back. Each is one message, of as many tables as
/// there are parts, each table once. Memory is the caller's again when a function returns; several
/// channels work at once. Errors name the server. What was pushed still arrives when a channel is
/// destroyed, unless something failed before. One thread at a time.
class RowChannel {
public:
  virtual ~RowChannel() = default;

  /// Rows as they are before step `step`. One pull at a time: it must be finished before the next
  /// is started. It sees the pushes that were added before, and its error may be one of theirs.
  virtual Error start_pull(int64_t step, const std::vector<RowPull> &parts) = 0;
  /// Where the rows of each part are, in the order that the pull has them; the channel's until its
  /// next request.
  virtual Result<std::vector<char *>> finish_pull() = 0;

  /// Asks for rows that start_pull() will ask for in step `step`, as they are now; whoever pulls
  /// them then gets what has changed since. Between start and end of a pull there is none, and
  /// there is one at a time: the server forgets the one before.
  virtual Error prefetch(int64_t step, const std::vector<RowPull> &parts) = 0;

  /// Adds gradients to a message that post_pushes(), or any other request, sends. An error may be
  /// one of a push before.
  virtual Error add_push(const RowPush &push) = 0;
  virtual Error post_pushes() = 0;
  /// Waits until the server has taken all pushes, or has refused one.
  virtual Error finish_pushes() = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H
