// What of a model, its recipe and its distribution decides the numbers of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LAUNCH_DECIDINGKEYS_H
#define TUTTI_PASSES_LAUNCH_DECIDINGKEYS_H

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>
#include <string>

namespace tutti {

/// A hash of the program as it was read: of all but the values with which variables begin, the
/// evaluation, and where in a file something is.
std::string hashOfProgram(mlir::ModuleOp module);

/// As RunConfig::decides of the runtime: `programHash`, and the keys of the pipelines `train` and
/// `distribute` that decide the numbers and do not hold their defaults. `train` and `distribute`
/// are the options of these pipelines, if they ran; keys with an error are left out.
std::map<std::string, std::string> decidingKeys(const std::optional<std::string> &train,
                                                const std::optional<std::string> &distribute,
                                                const std::string &programHash);

} // namespace tutti

#endif // TUTTI_PASSES_LAUNCH_DECIDINGKEYS_H
