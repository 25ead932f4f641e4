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

void Sequence::addTo(OpPassManager &passes, OpPassManager &last) {
  specialize::AtLaunchPassOptions atLaunch;
  for (auto &[place, those] : steps) {
    if (leftOut.count(place))
      continue;
    for (Step &step : those) {
      if (step.ranks == Ranks::Known || !atLaunch.passes.empty())
        atLaunch.passes.push_back(step.text);
      else
        addOne(passes, std::move(step.pass));
    }
  }
  if (atLaunch.passes.empty())
    return;
  // Of what all of them have made.
  atLaunch.passes.push_back("distribute-verify-replication");
  last.addPass(specialize::createAtLaunchPass(atLaunch));
}
