// Asking servers what they did.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SERVERS_RPC_SERVERREPORTS_H
#define TUTTI_RUNTIME_SERVERS_RPC_SERVERREPORTS_H

#include "runtime/servers/TableStatistics.h"
#include "runtime/servers/rpc/RowServer.h"

namespace tutti::runtime::servers {

/// What each server of `run`, at `addresses` in the order of their numbers, tells of its tables, in
/// the order of the manifest, once `steps` steps of all workers are done.
Result<std::vector<std::vector<TableStatistics>>>
ask_statistics(const RunOfServers &run, int64_t steps, const std::vector<std::string> &addresses);

} // namespace tutti::runtime::servers

#endif // TUTTI_RUNTIME_SERVERS_RPC_SERVERREPORTS_H
