// What others are told by a process of a run that will not come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_ABSENCE_H
#define TUTTI_RUNTIME_HOST_WORKER_ABSENCE_H

#include "runtime/host/run/RunConfig.h"

namespace tutti::runtime::worker {

/// Tells the servers of the run, and the ranks that meet, that the rank of `config` will not come,
/// as `why` says; they then end at once, with that text. A server tells it to the workers that ask.
/// Returns when all have heard it, or after `seconds` for each server: others may still compile.
void tell_absence(const WorkerConfig &config, const std::string &why, double seconds);

/// Tells the servers of the run alone, if it has any: the ranks have met.
void tell_servers(const WorkerConfig &config, const std::string &why, double seconds);

/// The same as tell_absence on a process that was started for nothing else, as `config.absence`
/// says. Where that takes longer than a moment, it says so on standard error.
void tell_own_absence(const WorkerConfig &config);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_ABSENCE_H
