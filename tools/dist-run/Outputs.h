// The files that a run writes, looked at before anything is compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_OUTPUTS_H
#define TUTTI_TOOLS_DISTRUN_OUTPUTS_H

#include "tools/dist-run/Export.h"
#include "tools/dist-run/options/Options.h"

#include "llvm/Support/Error.h"

namespace tutti {

/// Makes the run directory, but for --dry-run. Whatever cannot be written is said before anything
/// is compiled; no output is an input. A checkpoint may take the place of the one that the run
/// starts from. `exported`: null if there is none.
llvm::Error checkOutputs(const RunOptions &options, const ModelExport *exported);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_OUTPUTS_H
