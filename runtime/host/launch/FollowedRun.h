// Evaluating the checkpoints of a run that trains elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_LAUNCH_FOLLOWEDRUN_H
#define TUTTI_RUNTIME_HOST_LAUNCH_FOLLOWEDRUN_H

#include "runtime/host/launch/Launch.h"

#include <functional>

namespace tutti::runtime::worker {

/// Launches `config`, which only evaluates, for each new checkpoint of its run directory, the
/// newest first where there are several, until the run that makes them has done all its steps. What
/// it finds goes to `tell`, and into event files and JSON lines in the folder `eval` of the run
/// directory; a checkpoint that is there is not evaluated again. The result is that of the last
/// launch, or of the first that failed. Any of stop_signals ends it.
LaunchResult follow(const RunConfig &config,
                    const std::function<void(const RankSummary &summary)> &tell);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_LAUNCH_FOLLOWEDRUN_H
