// distribute-verify-samples: what is made of all samples is completed where it is used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/SampleRoles.h"
#include "lib/layout/ShardingRules.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/samples/LayoutChanges.h"
#include "passes/distribution/samples/RoleRemarks.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
#include "lib/program/GradientChain.h"
#include "lib/program/ValueNames.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_VERIFYSAMPLESPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using tutti::program::quoted;

namespace {
struct VerifySamples : distribution::impl::VerifySamplesPassBase<VerifySamples> {
  using VerifySamplesPassBase::VerifySamplesPassBase;

  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    bool isDistributed = !getOperation().getOps<GroupOpInterface>().empty();
    bool isLeftAlone = isDistributed || !step || step.isExternal() || !step.getBody().hasOneBlock();
    if (isLeftAlone)
      return markAllAnalysesPreserved();
    SampleRoles roles(step);
    if (hasFixedBatch(step))
      return sayWhatIsCoupled(roles);
    tellRoles(step, roles, getArgument());
    warnOfUnknown(step, roles);
    if (!dropTotalsOfWhole(step, roles) && roles.getChanges().empty())
      return markAllAnalysesPreserved();
    for (const LayoutChange &change : roles.getChanges())
      if (failed(check(change, roles)))
        return signalPassFailure();
    LayoutChanges builder;
    completed.clear();
    for (const LayoutChange &change : roles.getChanges())
      rewrite(change, builder);
  }

private:
  /// What is made of a fixed batch cannot be made of the batches of several ranks: specialization
  /// for them says so.
  void sayWhatIsCoupled(const SampleRoles &roles) {
    if (roles.getChanges().empty())
      return markAllAnalysesPreserved();
    Location first = roles.getChanges().front().use->getOwner()->getLoc();
    getOperation()->setAttr(train::kFixedBatch, cast<LocationAttr>(Attribute(first)));
  }

  /// Whether the batch cannot vary.
  static bool hasFixedBatch(func::FuncOp step) {
    return llvm::any_of(step.getArguments(), [&](BlockArgument argument) {
      std::optional<unsigned> axis = program::getSampleAxis(argument);
      return axis && !cast<RankedTensorType>(argument.getType()).isDynamicDim(*axis);
    });
  }

  /// What is made of all samples already has no parts that could be added up. Whether there was
  /// one.
  static bool dropTotalsOfWhole(func::FuncOp step, const SampleRoles &roles) {
    SmallVector<train::BatchTotalOp> whole;
    step.walk([&](train::BatchTotalOp total) {
      if (roles.get(total.getNumber()).isWhole())
        whole.push_back(total);
    });
    for (train::BatchTotalOp total : whole) {
      total.replaceAllUsesWith(total.getNumber());
      total.erase();
    }
    return !whole.empty();
  }

  /// What nobody can follow is reduced as a mean.
  static void warnOfUnknown(func::FuncOp step, const SampleRoles &roles) {
    llvm::DenseSet<Value> seen;
    step.walk([&](OptimizerOpInterface optimizer) {
      Value value = program::getRawGradient(optimizer.getGradientMutable().get()), first;
      while (value && roles.get(value).isOwn() && seen.insert(value).second) {
        first = value;
        value = roles.getOrigin(value);
      }
      bool isTold = value && roles.get(value).isOwn(); // from here on it has been seen
      if (Operation *op = first && !isTold ? first.getDefiningOp() : nullptr)
        mlir::emitWarning(op->getLoc())
            << quoted(op) << " has no rule of sharding, so that it is not known what the samples "
            << "make of it: gradients that depend on it are reduced as means; let it implement "
               "ShardingRuleOpInterface";
    });
  }

  LogicalResult check(const LayoutChange &change, const SampleRoles &roles) {
    Value value = change.use->get();
    Refusal refusal = whyNotIn(value, change.from, change.to);
    bool isRefused = movesSamples(change.from, change.to) && !gatherSamples;
    if (!refusal && !isRefused)
      return success();
    Operation *user = change.use->getOwner();
    InFlightDiagnostic error = mlir::emitError(user->getLoc());
    if (!refusal)
      error << quoted(user) << " couples samples that lie on different ranks; "
            << "--distribute=\"gather-samples=true\" gives every rank those of all";
    else
      error << quoted(user) << " needs a value that is " << spellLayout(change.from) << " as "
            << spellLayout(change.to) << ", but " << refusal.reason();
    for (Operation *op : roles.getChain(value, /*most=*/1))
      error.attachNote(op->getLoc()) << quoted(op) << " makes it";
    return error;
  }

  void rewrite(const LayoutChange &change, LayoutChanges &builder) {
    if (movesSamples(change.from, change.to))
      ++movedSamples;
    else if (change.from.isPartial() && !change.to.isPartial())
      ++completedSums;
    Value value = change.use->get(), made = builder.get(value, change.from, change.to);
    change.use->set(made);
    if (change.from.isPartial() && change.to.isWhole() && completed.insert(value).second)
      takeShapeOf(value, made);
  }

  /// What asks for the shape of `value` alone takes that of `whole`, which all ranks have alike.
  static void takeShapeOf(Value value, Value whole) {
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      FailureOr<ShardingRule> rule = findShardingRule(use.getOwner());
      if (succeeded(rule) && llvm::is_contained(rule->shapesOnly, use.getOperandNumber()))
        use.set(whole);
    }
  }

  llvm::DenseSet<Value> completed; ///< of the step that is rewritten
};
} // namespace
