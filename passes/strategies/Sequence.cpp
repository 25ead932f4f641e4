// From places to a pass manager.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Sequence.h"

#include "passes/specialize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti::strategies;

void Sequence::addPass(Place place, std::unique_ptr<Pass> pass, std::unique_ptr<Pass> usual,
                       Ranks ranks) {
  std::string text = spellPass(*pass, *usual);
  steps[place].push_back({std::move(pass), std::move(text), ranks});
}

static void addOne(OpPassManager &passes, std::unique_ptr<Pass> pass) {
  if (pass->getOpName() == func::FuncOp::getOperationName())
    passes.addNestedPass<func::FuncOp>(std::move(pass));
  else
    passes.addPass(std::move(pass));
}

/// What writes `passes` into the program.
static std::string spellAtBatch(ArrayRef<std::string> passes) {
  specialize::AtBatchPassOptions options;
  options.passes.assign(passes.begin(), passes.end());
  return spellPass(*specialize::createAtBatchPass(options), *specialize::createAtBatchPass());
}

void Sequence::addTo(OpPassManager &passes, std::vector<std::string> &atLaunch) {
  std::vector<std::string> atBatch;
  for (auto &[place, those] : steps) {
    if (leftOut.count(place))
      continue;
    for (Step &step : those) {
      if (step.ranks == Ranks::WithBatch || !atBatch.empty())
        atBatch.push_back(step.text);
      else if (step.ranks == Ranks::Known || !atLaunch.empty())
        atLaunch.push_back(step.text);
      else
        addOne(passes, std::move(step.pass));
    }
  }
  if (!atBatch.empty())
    atLaunch.push_back(spellAtBatch(atBatch));
}

void Sequence::addTo(OpPassManager &passes) {
  std::vector<std::string> atLaunch;
  addTo(passes, atLaunch);
  if (atLaunch.empty())
    return;
  atLaunch.push_back("distribute-verify-replication"); // proves the program that all of them made
  specialize::AtLaunchPassOptions options;
  options.passes.assign(atLaunch.begin(), atLaunch.end());
  passes.addPass(specialize::createAtLaunchPass(options));
}
