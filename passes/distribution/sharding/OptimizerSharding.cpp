// Optimizers computed on parts of their variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sharding/OptimizerSharding.h"

#include "passes/distribution/Partition.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

OptimizerSharding::OptimizerSharding(Program program, const UniformityAnalysis &uniformity,
                                     int64_t ranks)
    : program(program), world(getOrCreateWorld(program.module)),
      initial(program.initialize, uniformity, world, ranks),
      next(program.step, uniformity, world, ranks), roles(program) {}

void OptimizerSharding::shard(const ShardedUpdates &updates) {
  for (const ShardedUpdate &update : updates) {
    next.addOptimizer(update.optimizer);
    for (BlockArgument state : update.states) {
      train::VariableAttr role = findHeldVariable(state);
      roles.setRole(role, role.getSharded(cast<ShapedType>(state.getType()).getShape()));
      next.setArgumentToPart(state);
    }
  }
  for (const ShardedUpdate &update : updates)
    shard(update);
}

void OptimizerSharding::shard(const ShardedUpdate &update) {
  Operation *first = program.initialize.getBody().front().getTerminator();
  Operation *after = program.step.getBody().front().getTerminator();
  for (unsigned index : update.stateResults) {
    first->setOperand(index, initial.getPart(first->getOperand(index)));
    after->setOperand(index, next.getPart(after->getOperand(index)));
  }
  after->setOperand(update.variableResult, next.gather(after->getOperand(update.variableResult)));
}

unsigned OptimizerSharding::measureParts() {
  return distribution::measureParts(program.step, next, world);
}

SmallVector<Partition::WholeUse> OptimizerSharding::takeWholeUses() {
  (void)initial.finish();
  return next.finish();
}

void OptimizerSharding::finish() {
  for (func::FuncOp function : {program.initialize, program.step})
    dropUnusedBuffers(function);
  roles.apply();
}
