// How a rank reaches its servers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_SERVING_RANKSERVERS_H
#define TUTTI_RUNTIME_HOST_SERVING_RANKSERVERS_H

#include "runtime/host/run/RunConfig.h"
#include "runtime/servers/TableStatistics.h"
#include "runtime/servers/rpc/RemoteRows.h"

#include <memory>

namespace tutti::runtime::worker {

/// What the processes of `config` must have alike. An error if a file of secrets cannot be read.
Result<servers::RunOfServers> run_of(const WorkerConfig &config, const Manifest &manifest);

/// Connects a rank whose program has tables to their servers. `described` is what it shows them of
/// its run, for other workers; empty where these meet otherwise.
Result<std::unique_ptr<servers::RemoteRows>> connect_to_servers(const WorkerConfig &config,
                                                                const Manifest &manifest,
                                                                const std::string &described);

/// Rank 0's way to what servers have in checkpoints.
Result<std::unique_ptr<servers::PartKeeper>> connect_to_parts(const WorkerConfig &config);

/// By server and table, once `steps` steps of all workers are done.
using StatisticsOfServers = std::vector<std::vector<servers::TableStatistics>>;
Result<StatisticsOfServers> ask_servers(const WorkerConfig &config, const Manifest &manifest,
                                        int64_t steps);

/// Tells the servers of the run, of which there are some, that the rank of `config` will not come,
/// or, of a server, the workers that ask it. Spends at most `seconds` on each.
void tell_who_waits(const WorkerConfig &config, const std::string &why, double seconds);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_SERVING_RANKSERVERS_H
