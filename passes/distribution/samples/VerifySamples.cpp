// distribute-verify-samples: what is made of all samples is completed where it is used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/Remarks.h"
#include "lib/layout/SampleRoles.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/samples/LayoutChanges.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"

#include "llvm/ADT/StringSwitch.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_VERIFYSAMPLESPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// "node 'loss' (onnx.Sqrt)" is said by the location; this is what stands in the text.
static std::string quoted(Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

namespace {
struct VerifySamples : distribution::impl::VerifySamplesPassBase<VerifySamples> {
  using VerifySamplesPassBase::VerifySamplesPassBase;

  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    bool isDistributed = !getOperation().getOps<GroupOpInterface>().empty();
    bool isLeftAlone = isDistributed || !step || step.isExternal() ||
                       !step.getBody().hasOneBlock() || hasFixedBatch(step);
    if (isLeftAlone)
      return markAllAnalysesPreserved();
    SampleRoles roles(step);
    tellMetrics(step, roles);
    if (roles.getChanges().empty())
      return markAllAnalysesPreserved();
    for (const LayoutChange &change : roles.getChanges())
      if (failed(check(change, roles)))
        return signalPassFailure();
    LayoutChanges builder;
    for (const LayoutChange &change : roles.getChanges())
      rewrite(change, builder);
  }

private:
  /// A batch that cannot vary is not divided among ranks: specialization refuses that.
  static bool hasFixedBatch(func::FuncOp step) {
    return llvm::any_of(step.getArguments(), [&](BlockArgument argument) {
      auto input = step.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(),
                                                           train::TrainDialect::kInput);
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      return input && type && type.getRank() > 0 && !type.isDynamicDim(input.getAxis());
    });
  }

  /// "a mean over samples": what a value of this role is made of.
  static StringRef describe(const Layout &layout) {
    return llvm::StringSwitch<StringRef>(spellRole(layout))
        .Case("mean", "the mean over samples")
        .Case("sum", "the sum over samples")
        .Case("max", "the maximum over samples")
        .Case("min", "the minimum over samples")
        .Case("whole", "made of all samples together")
        .Case("split", "one value for each sample")
        .Default(
            "made by operations that have no rule of sharding, and taken for a mean over samples");
  }

  void tellMetrics(func::FuncOp step, const SampleRoles &roles) {
    for (OpOperand &use : step.getBody().front().getTerminator()->getOpOperands())
      if (auto name = step.getResultAttrOfType<StringAttr>(use.getOperandNumber(),
                                                           train::TrainDialect::kMetric))
        remark::analysis(use.get().getLoc(), remarkBy(getArgument(), step))
            << ("metric \"" + name.getValue() + "\" is " + describe(roles.get(use.get()))).str();
  }

  LogicalResult check(const LayoutChange &change, const SampleRoles &roles) {
    Value value = change.use->get();
    std::string obstacle = findObstacle(value, change.from, change.to);
    bool isRefused = movesSamples(change.from, change.to) && !gatherSamples;
    if (obstacle.empty() && !isRefused)
      return success();
    Operation *user = change.use->getOwner();
    InFlightDiagnostic error = mlir::emitError(user->getLoc());
    if (obstacle.empty())
      error << quoted(user) << " couples samples that lie on different ranks; "
            << "--distribute=\"gather-samples=true\" gives every rank those of all";
    else
      error << quoted(user) << " needs a value that is " << spellLayout(change.from) << " as "
            << spellLayout(change.to) << ", but " << obstacle;
    for (Operation *op : roles.getChain(value, /*most=*/1))
      error.attachNote(op->getLoc()) << quoted(op) << " makes it";
    return error;
  }

  void rewrite(const LayoutChange &change, LayoutChanges &builder) {
    Operation *user = change.use->getOwner();
    bool moves = movesSamples(change.from, change.to);
    bool completes = change.from.isPartial() && !change.to.isPartial();
    if (moves) {
      ++movedSamples;
      remark::passed(user->getLoc(), remarkBy(getArgument(), user))
          << quoted(user) + " couples samples: it takes " + spellLayout(change.from) + " as " +
                 spellLayout(change.to);
    } else if (completes) {
      ++completedSums;
      remark::passed(user->getLoc(), remarkBy(getArgument(), user))
          << quoted(user) + " takes the " + spellRole(change.from).str() +
                 " over all samples, which is completed before";
    }
    change.use->set(builder.get(change.use->get(), change.from, change.to));
  }
};
} // namespace
