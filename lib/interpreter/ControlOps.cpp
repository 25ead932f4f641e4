// Operations of scf, func and bufferization that stand on tensors: loops and branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Interpreter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tutti::interpreter;

/// More steps than a loop of a training step has; one that would not end is an error.
static constexpr int64_t kMostSteps = 1 << 20;

static LogicalResult give(Machine &machine, Operation *op,
                          FailureOr<std::vector<TensorRef>> results) {
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    machine.set(result, value);
  return success();
}

static std::vector<TensorRef> valuesOf(Machine &machine, ValueRange values) {
  std::vector<TensorRef> found;
  for (Value value : values)
    found.push_back(machine.get(value));
  return found;
}

static LogicalResult runFor(Machine &machine, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  int64_t index = machine.getIndex(loop.getLowerBound()),
          end = machine.getIndex(loop.getUpperBound());
  int64_t step = machine.getIndex(loop.getStep());
  if (step <= 0 || (end - index) / step > kMostSteps)
    return emitError(op->getLoc()) << "a loop from " << index << " to " << end << " in steps of "
                                   << step << " has no interpreter";
  std::vector<TensorRef> carried = valuesOf(machine, loop.getInitArgs());
  for (; index < end; index += step) {
    carried.insert(carried.begin(), makeScalar(index));
    auto results = machine.runBlock(*loop.getBody(), carried);
    if (failed(results))
      return failure();
    carried = std::move(*results);
  }
  return give(machine, op, std::move(carried));
}

static LogicalResult runWhile(Machine &machine, Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  std::vector<TensorRef> carried = valuesOf(machine, loop.getInits());
  for (int64_t step = 0; step < kMostSteps; ++step) {
    auto before = machine.runBlock(*loop.getBeforeBody(), carried);
    if (failed(before))
      return failure();
    bool goesOn = before->front()->elements.front();
    before->erase(before->begin());
    if (!goesOn)
      return give(machine, op, std::move(*before));
    auto after = machine.runBlock(*loop.getAfterBody(), *before);
    if (failed(after))
      return failure();
    carried = std::move(*after);
  }
  return emitError(op->getLoc()) << "a loop of more than " << kMostSteps
                                 << " steps has no interpreter";
}

static LogicalResult runIf(Machine &machine, Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  Region &region =
      machine.getIndex(branch.getCondition()) ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return success();
  return give(machine, op, machine.runBlock(region.front(), {}));
}

static LogicalResult runSwitch(Machine &machine, Operation *op) {
  auto branch = cast<scf::IndexSwitchOp>(op);
  int64_t chosen = machine.getIndex(branch.getArg());
  auto known = llvm::find(branch.getCases(), chosen);
  Region &region = known == branch.getCases().end()
                       ? branch.getDefaultRegion()
                       : branch.getCaseRegions()[known - branch.getCases().begin()];
  return give(machine, op, machine.runBlock(region.front(), {}));
}

static LogicalResult runRegion(Machine &machine, Operation *op) {
  if (!op->getRegion(0).hasOneBlock())
    return emitError(op->getLoc()) << "several blocks have no interpreter";
  return give(machine, op, machine.runBlock(op->getRegion(0).front(), {}));
}

void tutti::interpreter::addControlOps(HandlerTable &table) {
  table["scf.for"] = runFor;
  table["scf.while"] = runWhile;
  table["scf.if"] = runIf;
  table["scf.index_switch"] = runSwitch;
  table["scf.execute_region"] = runRegion;
}
