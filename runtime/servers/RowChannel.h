// The way from a worker to one server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H
#define TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H

#include "runtime/servers/RowWire.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tutti::runtime::servers {

/// Rows that a server holds, as they are before a step. Memory is the caller's.
struct RowPull {
  int64_t table, step;
  const std::vector<int64_t> &rows; ///< each once
  int64_t row_bytes;                ///< of the answer, as it travels
  bool states;                      ///< with each row those of the optimizer, behind it
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

  /// Writes the gradients of `rows` as they travel, one behind the other.
  void gather(char *out) const;
  int64_t wire_row_bytes() const { return wire.bytes_of(row_bytes); }
  int64_t wire_bytes() const { return int64_t(rows.size()) * wire_row_bytes(); }
};

/// Brings requests to a server, and its answers back. Requests of a channel are sent when they are
/// started, and their memory is the caller's again then; several channels work at once. Errors name
/// the server. What was pushed still arrives when a channel is destroyed, unless something failed
/// before. One thread at a time.
class RowChannel {
public:
  virtual ~RowChannel() = default;

  /// One pull at a time: it must be finished before the next is started. It sees the pushes that
  /// were started before, and its error may be one of theirs.
  virtual Error start_pull(const RowPull &pull) = 0;
  /// The rows, in the order that the pull has them; the channel's until its next request.
  virtual Result<const char *> finish_pull() = 0;

  /// Any number of pushes. An error may be one of a push before.
  virtual Error start_push(const RowPush &push) = 0;
  /// Waits until the server has taken all pushes, or has refused one.
  virtual Error finish_pushes() = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H
