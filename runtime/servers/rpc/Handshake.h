// What a worker and a server say to each other before the first step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_HANDSHAKE_H
#define TUTTI_RUNTIME_SERVERS_RPC_HANDSHAKE_H

#include "runtime/servers/rpc/RowServer.h"

#include <mutex>
#include <optional>

namespace tutti::rows {
class HandshakeRequest;
}

namespace tutti::runtime::servers {

/// All that worker `worker` of `run` tells server `server`.
tutti::rows::HandshakeRequest make_handshake(const RunOfServers &run, int64_t worker,
                                             int64_t server);

/// Whether that worker and server `server` of `run` are parts of one run of one program. The error
/// shows what each of them has, and says what to do.
Error check_handshake(const RunOfServers &run, int64_t server,
                      const tutti::rows::HandshakeRequest &handshake);

/// What workers say of their run, which must be what the first of them said. Any number of threads.
class DescribedRuns {
public:
  /// The error names both workers, and the first line in which they differ.
  Error check(const tutti::rows::HandshakeRequest &handshake);

private:
  std::mutex mutex; ///< of all below
  std::optional<std::string> first;
  int64_t first_worker = 0;
};

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_HANDSHAKE_H
