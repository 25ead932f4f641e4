// What --dry-run tells of a run that is ready to begin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_DRYRUN_H
#define TUTTI_TOOLS_DISTRUN_DRYRUN_H

#include "passes/launch/RankPrograms.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"
#include "tools/dist-run/options/IdleReasons.h"
#include "tools/dist-run/options/Options.h"

#include "llvm/Support/Error.h"

namespace tutti {

/// Looks at what only a launch would find, unless another launcher started this rank, and prints
/// the page: what trains and what does not, the loss across ranks, the data, memory of a rank,
/// communication and time of a step, each by the analysis that a run itself goes by. `programs` has
/// its plan and its remarks, `manifest` is that of the rank with the largest part of a batch.
llvm::Expected<int> endDryRun(const RunOptions &options, const RunPrograms &programs,
                              const runtime::worker::Manifest &manifest, const RunFacts &facts,
                              const runtime::worker::RunConfig &config);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_DRYRUN_H
