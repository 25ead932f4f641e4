// Finds the optimizers that can be sharded, and says why others cannot.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sharding/OptimizerSharding.h"

#include "dialects/interfaces/Pointwise.h"
#include "lib/program/MeshGroups.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;
using train::VariablePlacement;

static InFlightDiagnostic emitCannot(OptimizerOpInterface optimizer) {
  return mlir::emitError(optimizer.getLoc())
         << "'" << optimizer->getName() << "' cannot be sharded: ";
}

namespace {
/// Checks the optimizers of one function in turn.
class Finder {
public:
  Finder(Program program, const UniformityAnalysis &uniformity)
      : program(program), uniformity(uniformity), places(program.step) {}

  FailureOr<ShardedUpdate> find(OptimizerOpInterface optimizer);
  LogicalResult verifyOtherFunctions(const ShardedUpdates &updates) const;

private:
  FailureOr<BlockArgument> findVariable(OptimizerOpInterface optimizer, Value value,
                                        StringRef what) const;
  LogicalResult addState(ShardedUpdate &update, Value value);

  Program program;
  const UniformityAnalysis &uniformity;
  VariablePlaces places;
  llvm::DenseMap<Value, OptimizerOpInterface> owners; ///< of states
};
} // namespace

/// The argument that brings `value`, a variable of which every rank has the whole, or its block.
FailureOr<BlockArgument> Finder::findVariable(OptimizerOpInterface optimizer, Value value,
                                              StringRef what) const {
  auto argument = dyn_cast<BlockArgument>(value);
  train::VariableAttr role = findHeldVariable(value);
  if (!role)
    return emitCannot(optimizer) << what << " it takes is not a variable of @step";
  switch (role.getPlacement()) {
  case VariablePlacement::Replicate:
    return argument;
  case VariablePlacement::Shard:
    if (partsOf(program.module) > 1 && !train::findTensorBlock(program.module, role.getName()))
      return argument; // its block
    return emitCannot(optimizer)
           << "variable \"" << role.getName()
           << "\" is sharded already, so shard-optimizer has been asked for twice";
  case VariablePlacement::PerRank:
    return emitCannot(optimizer)
           << "variable \"" << role.getName()
           << "\" is each rank's own, as local-sgd makes it, and has no parts; choose "
              "shard-optimizer or local-sgd";
  }
  llvm_unreachable("all placements are covered");
}

LogicalResult Finder::addState(ShardedUpdate &update, Value value) {
  FailureOr<BlockArgument> state = findVariable(update.optimizer, value, "a state that");
  if (failed(state))
    return failure();
  auto [owner, isFirst] = owners.try_emplace(*state, update.optimizer);
  if (!isFirst) {
    InFlightDiagnostic error = emitCannot(update.optimizer)
                               << "its state \"" << findHeldVariable(*state).getName()
                               << "\" belongs to another optimizer, too";
    error.attachNote(owner->second.getLoc()) << "which is this one";
    return error;
  }
  update.states.push_back(*state);
  update.stateResults.push_back(*places.getResult(findHeldVariable(*state)));
  return success();
}

FailureOr<ShardedUpdate> Finder::find(OptimizerOpInterface optimizer) {
  if (optimizer->getBlock() != &program.step.getBody().front())
    return emitCannot(optimizer) << "it stands in a region of '"
                                 << optimizer->getParentOp()->getName() << "'";
  ShardedUpdate update;
  update.optimizer = optimizer;
  for (Value state : optimizer.getStates())
    if (failed(addState(update, state)))
      return failure();
  FailureOr<BlockArgument> variable =
      findVariable(optimizer, optimizer.getVariable(), "the variable that");
  if (failed(variable))
    return failure();
  update.variable = *variable;
  update.role = findHeldVariable(*variable);
  update.type = cast<RankedTensorType>(variable->getType());
  update.variableResult = *places.getResult(update.role);
  Value gradient = optimizer.getGradientMutable().get();
  if (!uniformity.isUniform(gradient)) {
    InFlightDiagnostic error =
        emitCannot(optimizer)
        << "its gradient is not reduced over the ranks; run distribute-reduce-gradients first";
    uniformity.explain(gradient, error);
    return error;
  }
  return update;
}

/// A function other than @step would take the whole state.
LogicalResult Finder::verifyOtherFunctions(const ShardedUpdates &updates) const {
  llvm::DenseMap<Attribute, OptimizerOpInterface> states;
  for (const ShardedUpdate &update : updates)
    for (BlockArgument state : update.states)
      states[findHeldVariable(state)] = update.optimizer;
  for (auto function : ModuleOp(program.module).getOps<func::FuncOp>()) {
    if (function == program.step)
      continue;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto found = states.find(function.getArgAttr(i, train::TrainDialect::kVariable));
      if (found != states.end())
        return emitCannot(found->second)
               << "its state \"" << cast<train::VariableAttr>(found->first).getName()
               << "\" is taken whole by @" << function.getName();
    }
  }
  return success();
}

FailureOr<ShardedUpdates> ShardedUpdates::find(Program program,
                                               const UniformityAnalysis &uniformity) {
  SmallVector<OptimizerOpInterface> optimizers;
  program.step.walk([&](OptimizerOpInterface optimizer) { optimizers.push_back(optimizer); });
  if (optimizers.empty())
    return mlir::emitError(program.step.getLoc()) << "has no optimizer that could be sharded";
  Finder finder(program, uniformity);
  ShardedUpdates updates;
  for (OptimizerOpInterface optimizer : optimizers) {
    if (!isPointwise(optimizer)) {
      updates.whole.push_back(optimizer);
      continue;
    }
    FailureOr<ShardedUpdate> update = finder.find(optimizer);
    if (failed(update))
      return failure();
    updates.push_back(std::move(*update));
  }
  if (failed(finder.verifyOtherFunctions(updates)))
    return failure();
  return updates;
}
