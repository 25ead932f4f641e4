// Asking servers who waits there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_SERVERWAITS_H
#define TUTTI_RUNTIME_SERVERS_RPC_SERVERWAITS_H

#include "runtime/servers/rpc/RowServer.h"

namespace tutti::runtime::servers {

/// "server 0: worker 1 waits ...; server 1 does not answer": all servers of `run`, at `addresses`
/// in the order of their numbers, at once. Empty if nobody waits. Takes a second at most; any
/// thread.
std::string ask_waits(const RunOfServers &run, const std::vector<std::string> &addresses);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_SERVERWAITS_H
