// The servers of a run, as dist-worker knows them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_SERVERS_H
#define TUTTI_RUNTIME_HOST_WORKER_SERVERS_H

#include "runtime/host/reporting/RunLog.h"
#include "runtime/host/run/Summary.h"

namespace tutti::runtime::worker {

struct Serving;

/// What runs servers and reaches them, loaded when it is first asked for. An error if its file is
/// not there or cannot be loaded, which says where it was looked for.
Result<const Serving *> load_serving();

/// On rank 0, if there are servers: what they did in all steps, into `summary` and `log`.
Error record_servers(const WorkerConfig &config, const Manifest &manifest, RankSummary &summary,
                     RunLog &log);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_SERVERS_H
