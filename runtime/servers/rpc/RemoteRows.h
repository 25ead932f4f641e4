// The row service of a worker whose tables are with servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_REMOTEROWS_H
#define TUTTI_RUNTIME_SERVERS_RPC_REMOTEROWS_H

#include "runtime/servers/rpc/RowServer.h"
#include "tutti/rows.h"

namespace tutti::runtime::servers {

/// Asks each server for its rows, all at once; a row that is asked for several times travels once.
/// One thread at a time.
class RemoteRows {
public:
  /// Connects worker `worker` to the servers at `addresses`, in the order of their numbers, and
  /// shakes hands with them. Waits for those that are not there yet as long as `run` says. Rows
  /// travel through the files of row queues after `queues`, one a server, which stay the
  /// caller's; without any over gRPC, as handshakes do.
  static Result<std::unique_ptr<RemoteRows>> connect(const RunOfServers &run, int64_t worker,
                                                     std::vector<worker::ServedTable> tables,
                                                     const std::vector<std::string> &addresses,
                                                     const std::vector<int> &queues = {});
  virtual ~RemoteRows() = default;

  /// For tutti_context_set_rows; this object's.
  virtual const tutti_row_service *service() const = 0;

  /// Rows `first` to `first + count` of table `table` as they are before step `step`, each with its
  /// states after it, to `out`.
  virtual Error read(int64_t table, int64_t step, int64_t first, int64_t count, char *out) = 0;

  /// In how many steps all tables have this worker's pushes: where it goes on, if others do not
  /// wait for it. Waits until the tables are filled.
  virtual Result<int64_t> position() = 0;

  /// Waits until the servers have what was pushed.
  virtual Error finish() = 0;

  /// Tells the servers that this worker is done, or what kept it from it. If nobody does, it counts
  /// as dead when the object goes.
  virtual void leave(const Error &failure) = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_REMOTEROWS_H
