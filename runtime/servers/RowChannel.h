// The way from a worker to one server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H
#define TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H

#include "runtime/servers/RowRequest.h"
#include "runtime/servers/RowWire.h"

namespace tutti::runtime::servers {

/// Gradients of the rows of a part, where a worker has them. Memory is the caller's.
struct RowGradients {
  const std::vector<int64_t> &positions; ///< of each row of the part, in `numbers`
  int64_t row_bytes;                     ///< in `numbers`
  const char *numbers;
  RowWire wire = {}; ///< as what they travel

  /// Writes them as they travel, one after the other.
  void gather(char *out) const;
  int64_t wire_bytes() const { return int64_t(positions.size()) * wire.bytes_of(row_bytes); }
};

/// Brings requests to a server, and its answers back. Each is one message, of as many tables as
/// there are parts, each table once. Memory is the caller's again when a function returns; several
/// channels work at once. Errors name the server. What was pushed still arrives when a channel is
/// destroyed, unless something failed before. A channel knows whose it is: requests need not say
/// the worker. One thread at a time.
class RowChannel {
public:
  virtual ~RowChannel() = default;

  /// Rows as they are before the step. One pull at a time: it must be finished before the next
  /// is started. It sees the pushes that were added before, and its error may be one of theirs.
  virtual Error start_pull(const RowRequest &pull) = 0;
  /// Where the rows of each part are, in the order that the pull has them; the channel's until its
  /// next request.
  virtual Result<std::vector<char *>> finish_pull() = 0;

  /// Asks for rows that start_pull() will ask for in that step, as they are now; the pull of
  /// that step then gets what has changed since. Between start and end of a pull there is none, and
  /// there is one at a time: the server forgets the one before.
  virtual Error prefetch(const RowRequest &rows) = 0;

  /// Adds `part`, with these gradients, to a push of step `step` that post_pushes(), or any other
  /// request, sends. An error may be one of a push before.
  virtual Error add_push(int64_t step, const RowPart &part, const RowGradients &gradients) = 0;
  virtual Error post_pushes() = 0;
  /// Waits until the server has taken all pushes, or has refused one.
  virtual Error finish_pushes() = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_ROWCHANNEL_H
