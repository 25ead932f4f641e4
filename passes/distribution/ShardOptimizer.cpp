// distribute-shard-optimizer: each rank keeps and updates a part of the optimizer's states (ZeRO).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/Optimizer.h"
#include "lib/analysis/Remarks.h"
#include "lib/program/RoleEdits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/distribution/PartMeasures.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/ShardedUpdates.h"
#include "passes/distribution/ValueParts.h"
#include "llvm/Support/FormatVariadic.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_SHARDOPTIMIZERPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static void updateType(func::FuncOp function) {
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

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
    if (stage != 1 && stage != 2)
      return mlir::emitError(program.module.getLoc())
             << "shard-optimizer has the stages 1 (states) and 2 (states and gradients), got "
             << stage.getValue();
    std::optional<int64_t> ranks = collective::lookupWorldSize(program.module);
    if (!ranks)
      return mlir::emitError(program.module.getLoc())
             << "distribute-shard-optimizer needs the number of ranks: run specialize-world first, "
                "or let --distribute=\"shard-optimizer="
             << stage.getValue() << "\" put it off until launch";
    if (*ranks == 1)
      return success();
    UniformityAnalysis uniformity(program.module);
    FailureOr<ShardedUpdates> updates = ShardedUpdates::find(program, uniformity);
    if (failed(updates))
      return failure();
    leaveSmall(program, *updates);
    return updates->empty() ? success() : shard(program, *updates, uniformity, *ranks);
  }

  /// Remarks on those that stay as they are, and forgets them.
  void leaveSmall(Program program, ShardedUpdates &updates) {
    llvm::erase_if(updates, [&](ShardedUpdate &update) {
      std::string reason = getReasonToLeave(update);
      if (reason.empty())
        return false;
      ++replicatedOptimizers;
      remark::missed(update.optimizer.getLoc(), remarkBy(getArgument(), program.step))
          << "the optimizer of variable \"" + update.role.getName().str() +
                 "\" is not sharded: " + reason;
      return true;
    });
  }

  std::string getReasonToLeave(const ShardedUpdate &update) const {
    if (update.states.empty())
      return "it has no states";
    if (update.type.getRank() == 0)
      return "the variable is a scalar";
    if (update.type.getNumElements() < minElements)
      return llvm::formatv("{0} elements are fewer than min-elements={1}",
                           update.type.getNumElements(), minElements.getValue());
    return "";
  }

  LogicalResult shard(Program program, const ShardedUpdates &updates,
                      const UniformityAnalysis &uniformity, int64_t ranks) {
    FlatSymbolRefAttr world = getOrCreateWorld(program.module);
    ValueParts initial(program.initialize, uniformity, world, ranks);
    ValueParts next(program.step, uniformity, world, ranks);
    for (const ShardedUpdate &update : updates) {
      next.addOptimizer(update.optimizer);
      for (BlockArgument state : update.states)
        next.setArgumentToPart(state);
    }
    for (const ShardedUpdate &update : updates) {
      remarkOn(program, update, ranks);
      rewrite(program, update, initial, next);
    }
    setRoles(program, updates);
    if (stage == 2)
      measuredParts += measureParts(program.step, next, world);
    (void)initial.finish();
    LogicalResult result = settleWholeUses(program, next);
    for (func::FuncOp function : {program.initialize, program.step}) {
      dropUnusedBuffers(function);
      updateType(function);
    }
    return result;
  }

  void rewrite(Program program, const ShardedUpdate &update, ValueParts &initial,
               ValueParts &next) {
    for (auto [state, index] : llvm::zip_equal(update.states, update.stateResults)) {
      OpOperand &first = program.initialize.getBody().front().getTerminator()->getOpOperand(index);
      OpOperand &after = program.step.getBody().front().getTerminator()->getOpOperand(index);
      first.set(initial.getPart(first.get()));
      after.set(next.getPart(after.get()));
      ++shardedStates;
    }
    OpOperand &variable =
        program.step.getBody().front().getTerminator()->getOpOperand(update.variableResult);
    variable.set(next.gather(variable.get()));
    ++shardedOptimizers;
  }

  /// States are parts of what they were, which their results still say.
  static void setRoles(Program program, const ShardedUpdates &updates) {
    RoleEdits initialize(program.initialize), step(program.step);
    for (const ShardedUpdate &update : updates)
      for (auto [state, index] : llvm::zip_equal(update.states, update.stateResults)) {
        auto whole = cast<ShapedType>(program.step.getResultTypes()[index]);
        train::VariableAttr role = step.getResult(index).getSharded(whole.getShape());
        initialize.setResult(index, initialize.getResult(index).getSharded(whole.getShape()));
        step.setResult(index, role);
        step.setArgument(state.getArgNumber(), role);
      }
    initialize.apply();
    step.apply();
  }

  void remarkOn(Program program, ShardedUpdate update, int64_t ranks) const {
    int64_t elements = update.type.getNumElements();
    remark::passed(update.optimizer.getLoc(), remarkBy(getArgument(), program.step))
        << llvm::formatv("the optimizer of variable \"{0}\" is sharded: {1} of {2} elements of "
                         "{3} {4} on each of {5} ranks",
                         update.role.getName(), llvm::divideCeil(elements, ranks), elements,
                         update.states.size(), update.states.size() == 1 ? "state" : "states",
                         ranks)
               .str();
  }

  /// Stage 1 keeps gradients that something else takes whole, stage 2 does not.
  LogicalResult settleWholeUses(Program program, ValueParts &next) {
    LogicalResult result = success();
    for (auto [reduced, user] : next.finish()) {
      if (stage == 2) {
        InFlightDiagnostic error =
            mlir::emitError(user->getLoc())
            << "'" << user->getName()
            << "' takes the whole of a reduced gradient, of which shard-optimizer=2 leaves each "
               "rank only its part; use shard-optimizer=1";
        error.attachNote(reduced.getLoc()) << "the gradient is reduced here";
        result = error;
        continue;
      }
      ++wholeGradients;
      remark::missed(reduced.getLoc(), remarkBy(getArgument(), program.step))
          << ("gradient is reduced as a whole on every rank: '" + user->getName().getStringRef() +
              "' takes it, too")
                 .str();
      next.keepWhole(reduced);
    }
    return result;
  }
};
} // namespace
