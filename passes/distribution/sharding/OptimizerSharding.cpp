// Optimizers computed on parts of their variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sharding/OptimizerSharding.h"

#include "lib/program/MeshGroups.h"
#include "passes/distribution/Partition.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

OptimizerSharding::OptimizerSharding(Program program, const UniformityAnalysis &uniformity,
                                     FlatSymbolRefAttr group, int64_t ranks)
    : program(program), group(group), uniformity(uniformity), ranks(ranks),
      initial(program.initialize, uniformity, group, ranks),
      next(program.step, uniformity, group, ranks), roles(program) {}

void OptimizerSharding::keepVariablesInParts(int64_t keptBytes) {
  areVariablesParts = true;
  next.keepGathered(keptBytes);
  for (auto function : program.module.getOps<func::FuncOp>())
    if (function != program.initialize && function != program.step && !function.isExternal())
      others.emplace_back(function, Partition(function, uniformity, group, ranks));
}

void OptimizerSharding::shard(const ShardedUpdates &updates) {
  for (const ShardedUpdate &update : updates) {
    next.addOptimizer(update.optimizer);
    for (BlockArgument state : update.states) {
      setRole(findHeldVariable(state), state.getType());
      next.setArgumentToPart(state);
    }
    if (areVariablesParts)
      shardVariable(update);
  }
  for (const ShardedUpdate &update : updates)
    shard(update);
}

/// Each rank keeps a part of `held`, which is the whole variable or the block that it has.
void OptimizerSharding::setRole(train::VariableAttr role, Type held) {
  ArrayRef<int64_t> shape = cast<ShapedType>(held).getShape();
  bool isBlock = role.getPlacement() == train::VariablePlacement::Shard;
  roles.setRole(role, role.getSharded(isBlock ? role.getWhole() : shape));
  if (partsOf(program.module) > 1)
    blocks.append(role.getName(), DenseI64ArrayAttr::get(role.getContext(), shape));
}

void OptimizerSharding::shardVariable(const ShardedUpdate &update) {
  setRole(update.role, update.type);
  next.setVariableToPart(update.variable);
  for (auto &[function, parts] : others)
    if (BlockArgument argument = VariablePlaces(function).getArgument(update.role))
      parts.setVariableToPart(argument);
}

void OptimizerSharding::shard(const ShardedUpdate &update) {
  Operation *first = program.initialize.getBody().front().getTerminator();
  Operation *after = program.step.getBody().front().getTerminator();
  SmallVector<unsigned> inParts = llvm::to_vector(update.stateResults);
  if (areVariablesParts)
    inParts.push_back(update.variableResult);
  for (unsigned index : inParts) {
    first->setOperand(index, initial.getPart(first->getOperand(index)));
    after->setOperand(index, next.getPart(after->getOperand(index)));
  }
  if (!areVariablesParts)
    after->setOperand(update.variableResult, next.gather(after->getOperand(update.variableResult)));
}

unsigned OptimizerSharding::measureParts() {
  return distribution::measureParts(program.step, next, group);
}

SmallVector<Partition::WholeUse> OptimizerSharding::takeWholeUses() {
  (void)initial.finish();
  for (auto &[function, parts] : others) {
    (void)parts.finish();
    function.setType(FunctionType::get(function.getContext(),
                                       function.getBody().front().getArgumentTypes(),
                                       function.getResultTypes()));
  }
  return next.finish();
}

void OptimizerSharding::finish() {
  for (func::FuncOp function : {program.initialize, program.step})
    dropUnusedBuffers(function);
  if (!blocks.empty())
    program.module->setAttr(train::kTensorBlocks,
                            blocks.getDictionary(program.module.getContext()));
  roles.apply();
}

unsigned OptimizerSharding::countVariableGathers() const {
  unsigned count = next.countVariableGathers();
  for (const auto &[function, parts] : others)
    count += parts.countVariableGathers();
  return count;
}
