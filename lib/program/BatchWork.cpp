// What a step does with its batch until it has gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/BatchWork.h"

#include "dialects/train/Train.h"
#include "lib/program/DrawNumbers.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

using ValueSet = llvm::DenseSet<Value>;

bool tutti::program::usesAny(Operation *op, llvm::function_ref<bool(Value)> is) {
  WalkResult found = op->walk([&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), is) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static bool usesOneOf(Operation *op, const ValueSet &values) {
  return program::usesAny(op, [&](Value value) { return values.contains(value); });
}

llvm::DenseSet<Value> tutti::program::findDependents(Block &block, ArrayRef<Value> values) {
  ValueSet dependents(values.begin(), values.end());
  for (Operation &op : block)
    if (usesOneOf(&op, dependents))
      dependents.insert_range(op.getResults());
  return dependents;
}

/// The operations of `block` that the computation of `values` needs.
static llvm::DenseSet<Operation *> findComputing(Block &block, ArrayRef<Value> values) {
  ValueSet needed(values.begin(), values.end());
  llvm::DenseSet<Operation *> ops;
  for (Operation &op : llvm::reverse(block)) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return needed.contains(result); }))
      continue;
    ops.insert(&op);
    op.walk([&](Operation *inner) { needed.insert_range(inner->getOperands()); });
  }
  return ops;
}

llvm::DenseSet<Operation *> tutti::program::findTotals(Block &block) {
  llvm::DenseSet<Operation *> totals;
  auto isOfTotals = [&](Operation *user) {
    return totals.contains(block.findAncestorOpInBlock(*user));
  };
  for (Operation &op : llvm::reverse(block))
    if (isa<train::BatchTotalOp>(op) ||
        (!op.use_empty() && llvm::all_of(op.getUsers(), isOfTotals)))
      totals.insert(&op);
  return totals;
}

void tutti::program::separateTotals(Block &block) {
  SmallVector<Value> operands;
  for (auto total : block.getOps<train::BatchTotalOp>())
    operands.push_back(total.getNumber());
  if (operands.empty())
    return;
  numberDraws(cast<func::FuncOp>(block.getParentOp()));
  llvm::DenseSet<Operation *> computing = findComputing(block, operands),
                              totals = findTotals(block);
  ValueSet ofBatch = findDependents(block, findBatch(cast<func::FuncOp>(block.getParentOp())));
  IRMapping own;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isa<train::BatchTotalOp>(op) || totals.contains(&op)) {
      for (OpOperand &operand : op.getOpOperands())
        operand.set(own.lookupOrDefault(operand.get()));
    } else if (computing.contains(&op) && usesOneOf(&op, ofBatch)) {
      OpBuilder builder(&op);
      builder.clone(op, own);
    }
  }
}

bool BatchWork::contains(Operation *op) const {
  while (op && !ops.contains(op))
    op = op->getParentOp();
  return op;
}

static SmallVector<Value> findLeaving(const BatchWork &work) {
  SmallVector<Value> leaving;
  for (Operation *op : work.ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !work.contains(user); }))
        leaving.push_back(result);
  return leaving;
}

train::InputAttr tutti::program::findReadInput(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      argument ? argument.getOwner()->getParentOp() : nullptr);
  return function ? function.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(),
                                                                train::TrainDialect::kInput)
                  : train::InputAttr();
}

std::optional<unsigned> tutti::program::getSampleAxis(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  train::InputAttr input = findReadInput(value);
  return input && type && type.getRank() > 0 ? std::optional<unsigned>(input.getAxis())
                                             : std::nullopt;
}

SmallVector<Value> tutti::program::findBatch(func::FuncOp step) {
  SmallVector<Value> batch;
  llvm::copy_if(step.getArguments(), std::back_inserter(batch), findReadInput);
  return batch;
}

BatchWork BatchWork::find(func::FuncOp step, ArrayRef<Value> gradients, const WholeBatch &whole) {
  Block &block = step.getBody().front();
  llvm::DenseSet<Operation *> computing = findComputing(block, gradients);
  BatchWork work;
  work.batch = findBatch(step);
  llvm::append_range(work.batch, whole.values);
  ValueSet derived(gradients.begin(), gradients.end()),
      ofBatch(work.batch.begin(), work.batch.end());
  SmallVector<Operation *> after;
  llvm::DenseSet<Operation *> totals = findTotals(block);
  for (Operation &op : block.without_terminator()) {
    if (totals.contains(&op) || whole.before.contains(&op))
      continue;
    bool isAfter = !computing.contains(&op) && usesOneOf(&op, derived);
    if (isAfter || whole.after.contains(&op)) {
      derived.insert_range(op.getResults());
      after.push_back(&op);
    } else if (usesOneOf(&op, ofBatch)) {
      ofBatch.insert_range(op.getResults());
      work.ops.insert(&op);
    }
  }
  if (work.ops.empty())
    return work;
  llvm::copy_if(after, std::back_inserter(work.early),
                [&](Operation *op) { return op->isBeforeInBlock(work.ops.back()); });
  work.leaving = findLeaving(work);
  return work;
}
