// The flags of the trace and of the report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_TRACEOPTIONS_H
#define TUTTI_TOOLS_DISTRUN_TRACEOPTIONS_H

#include "tools/dist-run/Options.h"

#include <CLI/CLI.hpp>

namespace tutti {

/// Adds --trace, --report and what belongs to them.
void addTraceOptions(CLI::App &app, RunOptions &options);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_TRACEOPTIONS_H
