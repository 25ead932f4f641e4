// distribute-at-launch and distribute-at-batch: what has to wait until the number of ranks is
// known, or the samples that each takes, is written into the program, so that what specializes it
// finds it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/specialize/Specialization.h"

#include "dialects/train/ProgramClaims.h"
#include "lib/program/PassesByName.h"
#include "passes/specialize/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"

namespace tutti::specialize {
#define GEN_PASS_DEF_ATBATCHPASS
#define GEN_PASS_DEF_ATLAUNCHPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

using namespace mlir;
using namespace tutti;
using tutti::train::TrainDialect;

/// The passes that wait already; `when` is the attribute that names them.
static SmallVector<Attribute> waitingPasses(ModuleOp module, StringRef when) {
  auto passes = module->getAttrOfType<ArrayAttr>(when);
  return passes ? SmallVector<Attribute>(passes.getValue()) : SmallVector<Attribute>();
}

static LogicalResult addPass(ModuleOp module, StringRef when, StringRef text,
                             OpPassManager &passes) {
  const char *moment = when == train::kAtBatch ? "once the batch is known" : "at launch";
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return mlir::emitError(module.getLoc())
           << "'" << text << "' cannot be run " << moment << ": " << problem;
  };
  return program::addPassByName(module.getContext(), text, passes, complain);
}

/// Lets `passes` wait, too.
static LogicalResult putOff(ModuleOp module, StringRef when, ArrayRef<std::string> passes) {
  Builder builder(module.getContext());
  SmallVector<Attribute> all = waitingPasses(module, when);
  OpPassManager checked(ModuleOp::getOperationName());
  for (const std::string &text : passes) {
    if (failed(addPass(module, when, text, checked)))
      return failure();
    all.push_back(builder.getStringAttr(text));
  }
  if (!all.empty())
    module->setAttr(when, builder.getArrayAttr(all));
  return success();
}

LogicalResult tutti::specialize::takeAtLaunch(ModuleOp module, int64_t ranks,
                                              OpPassManager &passes) {
  OpPassManager dropped(ModuleOp::getOperationName()); // their names are checked all the same
  for (Attribute attribute : waitingPasses(module, TrainDialect::kAtLaunch)) {
    StringRef text = cast<StringAttr>(attribute);
    bool runs = ranks > 1 || program::getOnOneRank(module.getContext(), text) !=
                                 program::PassesByName::OnOneRank::Dropped;
    if (failed(addPass(module, TrainDialect::kAtLaunch, text, runs ? passes : dropped)))
      return failure();
  }
  module->removeAttr(TrainDialect::kAtLaunch);
  return success();
}

LogicalResult tutti::specialize::takeAtBatch(ModuleOp module, OpPassManager &passes) {
  for (Attribute attribute : waitingPasses(module, train::kAtBatch))
    if (failed(addPass(module, train::kAtBatch, cast<StringAttr>(attribute), passes)))
      return failure();
  module->removeAttr(train::kAtBatch);
  return success();
}

namespace {
struct AtLaunch : specialize::impl::AtLaunchPassBase<AtLaunch> {
  using AtLaunchPassBase::AtLaunchPassBase;

  void runOnOperation() override {
    if (failed(putOff(getOperation(), TrainDialect::kAtLaunch, passes)))
      signalPassFailure();
  }
};

struct AtBatch : specialize::impl::AtBatchPassBase<AtBatch> {
  using AtBatchPassBase::AtBatchPassBase;

  void runOnOperation() override {
    if (failed(putOff(getOperation(), train::kAtBatch, passes)))
      signalPassFailure();
  }
};
} // namespace
