// distribute-at-launch: what has to wait until the number of ranks is known is written into the
// program, so that `specialize-world` finds it there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/specialize/Specialization.h"

#include "lib/program/PassesByName.h"
#include "passes/specialize/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace tutti::specialize {
#define GEN_PASS_DEF_ATLAUNCHPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

using namespace mlir;
using namespace tutti;
using tutti::train::TrainDialect;

/// The passes that wait already.
static SmallVector<Attribute> waitingPasses(ModuleOp module) {
  auto passes = module->getAttrOfType<ArrayAttr>(TrainDialect::kAtLaunch);
  return passes ? SmallVector<Attribute>(passes.getValue()) : SmallVector<Attribute>();
}

static LogicalResult addPass(ModuleOp module, StringRef text, OpPassManager &passes) {
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return mlir::emitError(module.getLoc())
           << "'" << text << "' cannot be run at launch: " << problem;
  };
  return program::addPassByName(module.getContext(), text, passes, complain);
}

LogicalResult tutti::specialize::takeAtLaunch(ModuleOp module, int64_t ranks,
                                              OpPassManager &passes) {
  OpPassManager dropped(ModuleOp::getOperationName()); // their names are checked all the same
  for (Attribute attribute : waitingPasses(module)) {
    StringRef text = cast<StringAttr>(attribute);
    bool runs = ranks > 1 || program::getOnOneRank(module.getContext(), text) !=
                                 program::PassesByName::OnOneRank::Dropped;
    if (failed(addPass(module, text, runs ? passes : dropped)))
      return failure();
  }
  module->removeAttr(TrainDialect::kAtLaunch);
  return success();
}

namespace {
struct AtLaunch : specialize::impl::AtLaunchPassBase<AtLaunch> {
  using AtLaunchPassBase::AtLaunchPassBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    SmallVector<Attribute> all = waitingPasses(getOperation());
    OpPassManager checked(ModuleOp::getOperationName());
    for (const std::string &text : passes) {
      if (failed(addPass(getOperation(), text, checked)))
        return signalPassFailure();
      all.push_back(builder.getStringAttr(text));
    }
    if (!all.empty())
      getOperation()->setAttr(TrainDialect::kAtLaunch, builder.getArrayAttr(all));
  }
};
} // namespace
