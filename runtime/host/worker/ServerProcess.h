// The process of a server, and how a rank reaches it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_SERVERPROCESS_H
#define TUTTI_RUNTIME_HOST_WORKER_SERVERPROCESS_H

#include "runtime/host/reporting/RunLog.h"
#include "runtime/host/run/RunConfig.h"
#include "runtime/host/run/Summary.h"
#include "runtime/servers/rpc/RemoteParts.h"
#include "runtime/servers/rpc/RemoteRows.h"

#include <memory>

namespace tutti::runtime::worker {

/// Holds this server's rows of all tables and answers workers until the process is killed: signals
/// to a whole group of processes let ranks finish their step, and save, for which they need their
/// servers. Returns if it cannot begin and, where no launcher ends it, when all workers have come
/// and gone, or a while after the grace period of a signal is over: the number of the signal, or 0.
Result<int> run_server(WorkerConfig config);

/// What processes of the run prove to each other. An error if a file of secrets cannot be read.
Result<servers::Security> security_of(const RunConfig &run);

/// Rank 0's way to what servers have in checkpoints.
Result<std::unique_ptr<servers::PartKeeper>> connect_to_parts(const WorkerConfig &config);

/// On rank 0, if there are servers: what they did in all steps, into `summary` and `log`.
Error record_servers(const WorkerConfig &config, const Manifest &manifest, RankSummary &summary,
                     RunLog &log);

/// Connects a rank whose program has tables to their servers. `described` is what it shows them of
/// its run, for other workers; empty where these meet otherwise.
Result<std::unique_ptr<servers::RemoteRows>> connect_to_servers(const WorkerConfig &config,
                                                                const Manifest &manifest,
                                                                const std::string &described);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_SERVERPROCESS_H
