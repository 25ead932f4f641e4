// From the command line to what a run is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_CONFIGURE_H
#define TUTTI_TOOLS_DISTRUN_CONFIGURE_H

#include "runtime/run/RunConfig.h"
#include "tools/dist-run/CompileForRanks.h"
#include "tools/dist-run/Options.h"

namespace tutti {

/// What `options` say. `workerPath` is the rank's program.
runtime::worker::RunConfig configure(const RunOptions &options, std::string workerPath);

/// What ranks and servers load, as long as `programs` live. An error if there are tables, and no
/// servers for them.
llvm::Error addPrograms(const RunOptions &options, const RunPrograms &programs,
                        bool isStartedByOthers, runtime::worker::RunConfig &config);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_CONFIGURE_H
