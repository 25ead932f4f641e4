// The pipeline --distribute: from one device to many, then communication made cheap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PIPELINES_H
#define TUTTI_PASSES_PIPELINES_H

#include "passes/DistributeOptions.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tutti {

/// *The* entry of Tutti: adds the passes that turn a single-device training program (see the train
/// dialect) into a distributed one that does not depend on the number of ranks, to a pass manager
/// on modules. From the first communication step that needs their number on, the steps are put off
/// until `specialize::createSpecializeWorldPass`, which fixes it. The context needs
/// `registerAllStages`. Nothing of the process is asked or changed, and no text is parsed. The
/// error says which of `options` contradict each other, by the names of their keys; `passes` is
/// unchanged then. On one thread for one pass manager.
llvm::Error addDistributePipeline(mlir::OpPassManager &passes, const DistributeOptions &options);

/// The same for those who try several `options` on one program, before it runs for a number of
/// ranks that they know: the passes that wait for that number go to `atLaunch`, in their order and
/// as `program::addPassByName` takes them. Programs that differ in them alone have all before in
/// common. The proofs that variables stay replicated are left out.
llvm::Error addPassesToTry(mlir::OpPassManager &passes, std::vector<std::string> &atLaunch,
                           const DistributeOptions &options);

/// Registers `--distribute`.
void registerDistributePipeline();

} // namespace tutti

#endif // TUTTI_PASSES_PIPELINES_H
