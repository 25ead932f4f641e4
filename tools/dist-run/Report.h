// What dist-run tells a person before and after a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_REPORT_H
#define TUTTI_TOOLS_DISTRUN_REPORT_H

#include "runtime/worker/Launch.h"
#include "runtime/worker/Manifest.h"

#include "llvm/Support/raw_ostream.h"

namespace tutti {

/// The summary of a finished run: effective batch, time in computation and in communication, bytes
/// moved, peak memory, what was dropped or repeated, and the evaluation. Times are of the slowest
/// rank.
void printSummary(llvm::raw_ostream &out, const runtime::worker::Manifest &manifest,
                  const runtime::worker::LaunchResult &result);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_REPORT_H
