// Passes that wait until the number of ranks is known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_SPECIALIZE_ATLAUNCH_H
#define TUTTI_PASSES_SPECIALIZE_ATLAUNCH_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace tutti::specialize {

/// Takes the names of the passes that `module` put off away from it and adds the passes to
/// `passes`. A name that is no pass is an error.
mlir::LogicalResult takeAtLaunch(mlir::ModuleOp module, mlir::OpPassManager &passes);

} // namespace tutti::specialize

#endif // TUTTI_PASSES_SPECIALIZE_ATLAUNCH_H
