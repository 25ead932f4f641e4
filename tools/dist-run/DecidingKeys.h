// What of the command line and of the model decides the numbers of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_DISTRUN_DECIDINGKEYS_H
#define TUTTI_TOOLS_DISTRUN_DECIDINGKEYS_H

#include "tools/dist-run/options/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti {

/// A hash of the program as it was read: of all but the values with which variables begin, the
/// evaluation, and where in a file something is.
std::string hashOfProgram(mlir::ModuleOp module);

/// As RunConfig::decides: `programHash`, and the keys of --train and --distribute that decide the
/// numbers and do not hold their defaults.
std::map<std::string, std::string> decidingKeys(const RunOptions &options,
                                                const std::string &programHash);

} // namespace tutti

#endif // TUTTI_TOOLS_DISTRUN_DECIDINGKEYS_H
