// The pipeline --distribute: from one device to many, then communication made cheap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PIPELINES_H
#define TUTTI_PASSES_PIPELINES_H

#include "passes/DistributeOptions.h"

#include "mlir/Pass/Pass.h"

#include <vector>

namespace tutti {

/// A pass, its text, and whether it can only run once the number of ranks is known.
struct PipelineStep {
  std::unique_ptr<mlir::Pass> pass;
  std::string text; ///< its name with the options that are not the defaults
  bool needsRanks = false;
};

/// What makes communication cheap, in order.
std::vector<PipelineStep> communicationSteps(const DistributeOptions &options);

/// Why `options` cannot be had, if they cannot: keys that contradict each other, by name, or a
/// value that makes no sense.
std::optional<std::string> findConflict(const DistributeOptions &options);

/// Adds the passes that turn a single-device training program into a distributed one that does not
/// depend on the number of ranks. From the first communication step that needs their number on, the
/// steps are put off until launch. Fails, and says why through `complain`, where options contradict
/// each other.
mlir::LogicalResult
buildDistributePipeline(mlir::OpPassManager &passes, const DistributeOptions &options,
                        llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)> complain);

/// Registers `--distribute`.
void registerDistributePipeline();

} // namespace tutti

#endif // TUTTI_PASSES_PIPELINES_H
