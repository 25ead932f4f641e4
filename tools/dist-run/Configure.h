// From the command line to what a run is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_CONFIGURE_H
#define TUTTI_TOOLS_DISTRUN_CONFIGURE_H

#include "passes/launch/RankPrograms.h"
#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"
#include "tools/dist-run/options/IdleReasons.h"
#include "tools/dist-run/options/Options.h"

namespace tutti {

/// What `options` say. `workerPath` is the rank's program.
runtime::worker::RunConfig configure(const RunOptions &options, std::string workerPath);

/// What ranks and servers load, as long as `programs` live. An error if there are tables, and no
/// servers for them.
llvm::Error addPrograms(const RunOptions &options, const RunPrograms &programs,
                        bool isStartedByOthers, runtime::worker::RunConfig &config);

/// Finds what is wrong with the data before any rank starts, so that it is said once. What is
/// inflated for that is there for the ranks as long as `inflated` lives.
llvm::Error checkData(runtime::worker::RunConfig &config, const runtime::worker::Manifest &manifest,
                      runtime::data::InflatedArrays &inflated, RunFacts &facts);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_CONFIGURE_H
