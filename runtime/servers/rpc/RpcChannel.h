// A server that is reached over gRPC.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_RPCCHANNEL_H
#define TUTTI_RUNTIME_SERVERS_RPC_RPCCHANNEL_H

#include "runtime/servers/RowChannel.h"
#include "runtime/servers/rpc/RowServer.h"

#include <memory>

namespace tutti::runtime::servers {

/// Calls of worker `worker` to one server of `run`.
class RpcChannel : public RowChannel {
public:
  /// To server `number` at `address`; nothing is sent yet.
  static std::unique_ptr<RpcChannel> make(const RunOfServers &run, int64_t worker, int64_t number,
                                          const std::string &address);

  /// Says which run this is. A server that is not there yet is waited for as long as the run says.
  virtual void start_handshake() = 0;
  virtual Error finish_handshake() = 0;

  /// In how many steps all tables have this worker's push, once they have rows.
  virtual Result<int64_t> position() = 0;

  /// From now on the server knows if this process ends. The error says why it is not let in.
  virtual Error attend() = 0;
  /// Says that this worker is done, or why it will not be. Without it, it has died.
  virtual void leave(const Error &failure) = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_RPCCHANNEL_H
