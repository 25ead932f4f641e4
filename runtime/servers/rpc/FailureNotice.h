// What servers hear of a worker that will not come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_FAILURENOTICE_H
#define TUTTI_RUNTIME_SERVERS_RPC_FAILURENOTICE_H

#include "runtime/servers/rpc/RowServer.h"

namespace tutti::runtime::servers {

/// Tells the servers at `addresses` that `worker`, which has not joined them, will not: it failed
/// as `failure` says. Spends at most `seconds` on each; one that is not there is left out, and ends
/// its own wait in time. Of `run` only the security is looked at.
void tell_failure(const RunOfServers &run, int64_t worker,
                  const std::vector<std::string> &addresses, const Error &failure, double seconds);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_FAILURENOTICE_H
