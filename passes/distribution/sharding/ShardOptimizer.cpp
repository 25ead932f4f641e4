// distribute-shard-optimizer: each rank keeps and updates a part of the optimizer's states (ZeRO).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/Remarks.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/program/Exchange.h"
#include "lib/program/GradientChain.h"
#include "lib/program/MeshGroups.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/sharding/OptimizerSharding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SHARDOPTIMIZERPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

namespace {
struct ShardOptimizer : distribution::impl::ShardOptimizerPassBase<ShardOptimizer> {
  using ShardOptimizerPassBase::ShardOptimizerPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program) || failed(run(*program)))
      signalPassFailure();
  }

private:
  LogicalResult run(Program program) {
    if (stage < 1 || stage > 3)
      return mlir::emitError(program.module.getLoc())
             << "shard-optimizer has the stages 1 (states), 2 (states and gradients) and 3 "
                "(states, gradients and variables), got "
             << stage.getValue();
    std::optional<int64_t> ranks = collective::lookupWorldSize(program.module);
    if (!ranks)
      return mlir::emitError(program.module.getLoc())
             << "distribute-shard-optimizer needs the number of ranks: run specialize-world first, "
                "or let --distribute=\"shard-optimizer="
             << stage.getValue() << "\" put it off until launch";
    int64_t parts = partsOf(program.module);
    if (*ranks == parts) // each has what no other has
      return success();
    if (failed(verifyFactory(program.module,
                             {{CommunicationKind::ReduceScatter, CommunicationKind::AllGather},
                              {RankQuestion::Rank},
                              /*rows=*/true})))
      return failure();
    std::optional<UniformityAnalysis> ofData;
    const auto &uniformity =
        parts > 1 ? ofData.emplace(program.module, parts) : getAnalysis<UniformityAnalysis>();
    FailureOr<ShardedUpdates> updates = ShardedUpdates::find(program, uniformity);
    if (failed(updates))
      return failure();
    leaveWhole(program, *updates);
    leaveSmall(program, *updates);
    if (updates->empty())
      mlir::emitWarning(program.step.getLoc())
          << "shard-optimizer=" << stage.getValue() << " has no effect: " << whyNone;
    return updates->empty() ? success() : shard(program, *updates, uniformity, *ranks / parts);
  }

  LogicalResult shard(Program program, const ShardedUpdates &updates,
                      const UniformityAnalysis &uniformity, int64_t ranks) {
    for (const ShardedUpdate &update : updates)
      remarkOn(program, update, ranks);
    OptimizerSharding sharding(program, uniformity, findGroup(program), ranks);
    if (stage == 3)
      sharding.keepVariablesInParts(keepGathered);
    sharding.shard(updates);
    if (stage >= 2)
      measuredParts += sharding.measureParts();
    LogicalResult result = success();
    for (auto [reduced, user] : sharding.takeWholeUses())
      if (failed(settleWholeUse(program, sharding, reduced, user)))
        result = failure();
    variableGathers += sharding.countVariableGathers();
    remarkOnKept(program, sharding.getKeptGathers());
    sharding.finish();
    return result;
  }

  void remarkOnKept(Program program, const KeptGathers &kept) {
    keptVariables += kept.values;
    if (kept.values > 0)
      remark::passed(program.step.getLoc(), remarkBy(getArgument(), program.step))
          << llvm::formatv("{0} gathered {1} of {2} bytes {3} kept from the first use to the last: "
                           "a step gathers {4} {5} less",
                           kept.values, kept.values == 1 ? "variable" : "variables", kept.bytes,
                           kept.values == 1 ? "is" : "are", kept.gathers,
                           kept.gathers == 1 ? "time" : "times")
                 .str();
  }

  /// The ranks that divide among them what they hold alike.
  static FlatSymbolRefAttr findGroup(Program program) {
    int64_t parts = partsOf(program.module);
    for (auto group : program.module.getOps<GroupOpInterface>())
      if (parts > 1 && isOfData(group, parts))
        return FlatSymbolRefAttr::get(SymbolTable::getSymbolName(group));
    return getOrCreateWorld(program.module);
  }

  void remarkOnLeft(Program program, OptimizerOpInterface optimizer, train::VariableAttr variable,
                    StringRef reason) {
    ++replicatedOptimizers;
    std::string text = "the optimizer of " +
                       (variable ? "variable \"" + variable.getName().str() + "\"" : "a value") +
                       " is not sharded: " + reason.str();
    remark::missed(optimizer.getLoc(), remarkBy(getArgument(), program.step)) << text;
    whyNone = text + ", nor is any other";
  }

  /// A part of the variable may lack what its update needs.
  void leaveWhole(Program program, const ShardedUpdates &updates) {
    for (OptimizerOpInterface optimizer : updates.whole)
      remarkOnLeft(
          program, optimizer, findUpdatedVariable(optimizer),
          ("'" + optimizer->getName().getStringRef() + "' is not known to work element by element")
              .str());
  }

  /// Remarks on those that stay as they are, and forgets them.
  void leaveSmall(Program program, ShardedUpdates &updates) {
    llvm::erase_if(updates, [&](ShardedUpdate &update) {
      Refusal refusal = whyLeft(update);
      if (refusal)
        remarkOnLeft(program, update.optimizer, update.role, refusal.reason());
      return bool(refusal);
    });
  }

  Refusal whyLeft(const ShardedUpdate &update) const {
    if (update.states.empty() && stage < 3)
      return "it has no states";
    if (update.type.getRank() == 0)
      return "the variable is a scalar";
    if (update.type.getNumElements() < minElements)
      return llvm::formatv("{0} elements are fewer than min-elements={1}",
                           update.type.getNumElements(), minElements.getValue())
          .str();
    return {};
  }

  std::string whyNone = "the step has no optimizer";

  void remarkOn(Program program, ShardedUpdate update, int64_t ranks) {
    ++shardedOptimizers;
    shardedStates += update.states.size();
    int64_t elements = update.type.getNumElements();
    remark::passed(update.optimizer.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv("the optimizer of variable \"{0}\" is sharded: {1} of {2} elements of "
                         "{3}{4} {5} on each of {6} ranks",
                         update.role.getName(), llvm::divideCeil(elements, ranks), elements,
                         stage == 3 ? "the variable and " : "", update.states.size(),
                         update.states.size() == 1 ? "state" : "states", ranks)
               .str();
  }

  /// Stage 1 keeps a gradient that something else takes whole, stage 2 does not.
  LogicalResult settleWholeUse(Program program, OptimizerSharding &sharding, OpResult reduced,
                               Operation *user) {
    if (stage >= 2) {
      InFlightDiagnostic error =
          mlir::emitError(user->getLoc())
          << "'" << user->getName()
          << "' takes the whole of a reduced gradient, of which shard-optimizer="
          << stage.getValue() << " leaves each rank only its part; use shard-optimizer=1";
      error.attachNote(reduced.getLoc()) << "the gradient is reduced here";
      return error;
    }
    ++wholeGradients;
    remark::missed(reduced.getLoc(), remarkBy(getArgument(), program.step))
        << ("gradient is reduced as a whole on every rank: '" + user->getName().getStringRef() +
            "' takes it, too")
               .str();
    sharding.keepWhole(reduced);
    return success();
  }
};
} // namespace
