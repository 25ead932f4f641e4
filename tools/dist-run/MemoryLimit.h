// --memory: programs of which a rank needs no more than it may have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_MEMORYLIMIT_H
#define TUTTI_TOOLS_DISTRUN_MEMORYLIMIT_H

#include "passes/launch/RankPrograms.h"
#include "passes/search/Search.h"
#include "tools/dist-run/options/Options.h"

namespace tutti {

/// Compiles `module` for the ranks of `options`, and once more, with less room for temporary
/// buffers, where a rank would need more than --memory. An error says what it needs at least, for
/// what, and which key makes it less. `choice`: what a search found that chose the keys of
/// `module`, whose measures are taken; or null.
llvm::Expected<RunPrograms> compileWithinMemory(mlir::ModuleOp module, const RunOptions &options,
                                                const search::Answer *choice);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_MEMORYLIMIT_H
