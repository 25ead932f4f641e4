// From the options of --distribute to passes: each strategy adds its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines.h"

#include "lib/options/PassKeys.h"
#include "passes/search/Passes.h"
#include "passes/strategies/Strategy.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::strategies;

/// The passes of `options`, which name no search.
static llvm::Expected<Sequence> sequenceOf(const OpPassManager &passes,
                                           const DistributeOptions &options) {
  if (llvm::Error error = options::checkTakesModules(passes, "--distribute"))
    return error;
  if (Refusal conflict = options.findConflict())
    return llvm::createStringError(conflict.reason());
  Sequence sequence;
  if (!options.searches)
    for (const Strategy *strategy : allStrategies())
      strategy->addPasses(sequence, options);
  return sequence;
}

llvm::Error tutti::addDistributePipeline(OpPassManager &passes, const DistributeOptions &options) {
  llvm::Expected<Sequence> sequence = sequenceOf(passes, options);
  if (!sequence)
    return sequence.takeError();
  if (options.searches) {
    search::DistributeSearchPassOptions wanted;
    wanted.keys = options.fixedKeys();
    wanted.cluster = options.cluster;
    wanted.ranks = options.searchRanks.value_or(0);
    wanted.memory = options.searchMemory.value_or(0);
    wanted.explainsTensors = options.searchExplainsTensors;
    passes.addPass(search::createDistributeSearchPass(wanted));
  }
  sequence->addTo(passes);
  return llvm::Error::success();
}

llvm::Error tutti::addPassesToTry(OpPassManager &passes, std::vector<std::string> &atLaunch,
                                  const DistributeOptions &options) {
  llvm::Expected<Sequence> sequence = sequenceOf(passes, options);
  if (!sequence)
    return sequence.takeError();
  sequence->leaveOut({Place::Verify});
  sequence->addTo(passes, atLaunch);
  return llvm::Error::success();
}

void tutti::registerDistributePipeline() {
  registerPassPipeline(
      "distribute", "Turn a single-device training program into one for any number of ranks",
      [](OpPassManager &passes, StringRef text,
         function_ref<LogicalResult(const Twine &)> complain) -> LogicalResult {
        FailureOr<DistributeOptions> options = DistributeOptions::parse(text, complain);
        if (failed(options))
          return failure();
        llvm::Error error = addDistributePipeline(passes, *options);
        return error ? complain(llvm::toString(std::move(error))) : success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> describe) {
        describe(EmptyPipelineOptions()); // DistributeOptions::keys does: --help-distribute
      });
}
