// The process of a server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_SERVING_SERVERPROCESS_H
#define TUTTI_RUNTIME_HOST_SERVING_SERVERPROCESS_H

#include "runtime/host/run/RunConfig.h"

namespace tutti::runtime::worker {

/// Holds this server's rows of all tables and answers workers until the process is killed: signals
/// to a whole group of processes let ranks finish their step, and save, for which they need their
/// servers. Returns if it cannot begin and, where no launcher ends it, when all workers have come
/// and gone, or a while after the grace period of a signal is over: the number of the signal, or 0.
Result<int> run_server(WorkerConfig config);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_SERVING_SERVERPROCESS_H
