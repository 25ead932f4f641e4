// What servers hear of a worker that will not come, and workers of a server.
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

/// In the place of a server that cannot start: tells each of the workers of `run` that asks at
/// `address` what `failure` says, until all have asked, and at most for `seconds`. An error if it
/// cannot listen there. Of `run` workers and security are looked at.
Error refuse_workers(const RunOfServers &run, const std::string &address, const Error &failure,
                     double seconds);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_FAILURENOTICE_H
