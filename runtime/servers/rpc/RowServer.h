// A server's tables, for workers in other processes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_ROWSERVER_H
#define TUTTI_RUNTIME_SERVERS_RPC_ROWSERVER_H

#include "runtime/servers/Table.h"
#include "runtime/servers/rpc/Membership.h"
#include "runtime/servers/rpc/PartKeeper.h"
#include "runtime/servers/rpc/Security.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime::servers {

/// What a server and its workers must agree on.
struct RunOfServers {
  std::string fingerprint; ///< of the program
  int64_t workers = 1, servers = 1;
  double seconds = 300; ///< that one waits for another
  Security security = {};
  bool is_supervised = false; ///< a launcher watches all processes
  std::string exchanged = {}; ///< the manifest's exchange_text()
  /// Of a worker that meets others nowhere else: what they must have alike, "KEY: VALUE" a line.
  std::string described = {};
  /// Of a cluster: how people call its workers and this server. A server without a name says
  /// nothing while it waits for workers, and a worker nothing while it waits for servers.
  WorkerNames names = {};
  std::string own_name = {};
  double warn_after = 10; ///< seconds
};

/// Answers at an address until it is destroyed. Starts threads of its own.
class RowServer {
public:
  /// Server `number` of `run`, which has its rows of `tables`; they must outlive it. `address` is
  /// gRPC's: "unix:/path" or "127.0.0.1:0" (any free port). With `keeper` it also answers what is
  /// asked for checkpoints.
  static Result<std::unique_ptr<RowServer>> start(const RunOfServers &run, int64_t number,
                                                  std::vector<Table *> tables,
                                                  const std::string &address,
                                                  PartKeeper *keeper = nullptr);
  virtual ~RowServer() = default;

  /// Where it answers; with the port that it got.
  virtual std::string address() const = 0;

  /// Until all workers have come and gone. An error if one did not come for as long as the run
  /// says, or if the run has failed. `check` as of Membership.
  virtual Error
  wait_for_workers(const std::function<Result<bool>(bool has_workers)> &check = nullptr) = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_ROWSERVER_H
