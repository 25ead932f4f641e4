// Follows the control flow of one rank and writes down what it communicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/RankEvaluator.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

//===----------------------------------------------------------------------===//
// Blocks and branches
//===----------------------------------------------------------------------===//

LogicalResult RankEvaluator::run(Block &block) {
  for (Operation *op : deciding.getOps(block)) {
    if (++steps > kStepLimit)
      return cannotProve(op) << "the program takes more than " << kStepLimit << " steps";
    if (failed(evaluate(op)))
      return failure();
  }
  return success();
}

RankEvaluator::Exit RankEvaluator::enter(Region &region, Operation *owner) {
  Block *block = &region.front();
  while (true) {
    if (++steps > kStepLimit) {
      (void)(cannotProve(owner) << "the program takes more than " << kStepLimit << " steps");
      return {nullptr, true};
    }
    if (failed(run(*block)))
      return {nullptr, true};
    Operation *last = block->getTerminator();
    auto branch = dyn_cast<BranchOpInterface>(last);
    if (!branch)
      return {last, false};
    auto operands = llvm::map_to_vector(last->getOperands(),
                                        [&](Value operand) { return values.get(operand); });
    Block *next = last->getNumSuccessors() == 1 ? last->getSuccessor(0)
                                                : branch.getSuccessorForOperands(operands);
    if (!next) {
      if (!communicating.contains(owner))
        return {nullptr, false};
      (void)(cannotProve(last) << "where this branch goes depends on data; use scf.if, scf.for or "
                                  "scf.while, or decide by the rank and constants");
      return {nullptr, true};
    }
    unsigned successor = llvm::find(last->getSuccessors(), next) - last->successor_begin();
    SuccessorOperands handed = branch.getSuccessorOperands(successor);
    values.forget(next->getArguments().take_front(handed.getProducedOperandCount()));
    values.assign(next->getArguments().drop_front(handed.getProducedOperandCount()),
                  handed.getForwardedOperands());
    block = next;
  }
}

LogicalResult RankEvaluator::evaluate(Operation *op) {
  bool matters = op->getNumRegions() != 0 || isCommunication(op) || isa<CallOpInterface>(op);
  if (!matters) {
    values.compute(op);
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp, scf::ExecuteRegionOp,
            CommunicationStartOpInterface, CommunicationDoneOpInterface, PointToPointOpInterface>(
          [&](auto known) { return evaluate(known); })
      .Case([&](CollectiveOpInterface call) { return evaluate(call); })
      .Case([&](CallOpInterface call) { return evaluate(call); })
      .Default([&](Operation *) -> LogicalResult {
        values.forget(op->getResults());
        if (!communicating.contains(op))
          return success();
        return cannotProve(op) << "how often '" << op->getName()
                               << "' runs its regions, and in which order, is not defined";
      });
}

//===----------------------------------------------------------------------===//
// Structured control
//===----------------------------------------------------------------------===//

/// Runs `region` (none: an empty else) and hands on what it yields.
LogicalResult RankEvaluator::choose(Operation *op, Region *region) {
  if (!region || region->empty())
    return success();
  Exit exit = enter(*region, op);
  if (exit.failed())
    return failure();
  if (exit.terminator)
    values.assign(op->getResults(), exit.terminator->getOperands());
  else
    values.forget(op->getResults());
  return success();
}

/// All ranks decide alike, we don't know how.
LogicalResult RankEvaluator::takeEachRegionOnce(Operation *op, Value control) {
  values.forget(op->getResults());
  if (!communicating.contains(op))
    return success();
  if (!uniformity.isUniform(control)) {
    InFlightDiagnostic error = cannotProve(op);
    error << "what decides '" << op->getName() << "' depends on data of this rank";
    uniformity.explain(control, error);
    return error;
  }
  for (Region &region : op->getRegions()) {
    add(Event(Event::Boundary, op));
    for (Value argument : region.getArguments())
      values.forget(argument);
    if (!region.empty() && enter(region, op).failed())
      return failure();
  }
  add(Event(Event::Boundary, op));
  values.forget(op->getResults());
  return success();
}

LogicalResult RankEvaluator::evaluate(scf::IfOp op) {
  std::optional<int64_t> condition = values.getInteger(op.getCondition());
  if (!condition)
    return takeEachRegionOnce(op, op.getCondition());
  return choose(op, *condition ? &op.getThenRegion() : &op.getElseRegion());
}

LogicalResult RankEvaluator::evaluate(scf::IndexSwitchOp op) {
  std::optional<int64_t> value = values.getInteger(op.getArg());
  if (!value)
    return takeEachRegionOnce(op, op.getArg());
  for (auto [label, region] : llvm::zip(op.getCases(), op.getCaseRegions()))
    if (label == *value)
      return choose(op, &region);
  return choose(op, &op.getDefaultRegion());
}

LogicalResult RankEvaluator::evaluate(scf::ExecuteRegionOp op) {
  return choose(op, &op.getRegion());
}

/// Whether a loop that does not communicate is worth running for the numbers that it computes.
static bool isShortArithmetic(scf::ForOp op, uint64_t turns) {
  return turns < 1000 &&
         llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndex(); });
}

std::optional<RankEvaluator::Turns> RankEvaluator::countTurns(scf::ForOp op) const {
  auto from = values.getBits(op.getLowerBound()), to = values.getBits(op.getUpperBound());
  auto step = values.getBits(op.getStep());
  if (!from || !to || !step)
    return std::nullopt;
  unsigned width = from->getBitWidth() + 1; // in which nothing overflows
  auto widen = [&](APInt bits) {
    return op.getUnsignedCmp() ? bits.zext(width) : bits.sext(width);
  };
  APInt distance = widen(*to) - widen(*from), length = widen(*step);
  if (!length.isStrictlyPositive())
    return std::nullopt;
  if (!distance.isStrictlyPositive())
    return Turns{*from, *step, 0};
  APInt turns = llvm::APIntOps::RoundingUDiv(distance, length, APInt::Rounding::UP);
  return Turns{*from, *step, turns.getLimitedValue()};
}

LogicalResult RankEvaluator::evaluate(scf::ForOp op) {
  std::optional<Turns> turns = countTurns(op);
  if (!turns || (!communicating.contains(op) && !isShortArithmetic(op, turns->count))) {
    for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()})
      if (!uniformity.isUniform(bound))
        return takeEachRegionOnce(op, bound);
    return takeEachRegionOnce(op, op.getUpperBound());
  }
  values.assign(op.getRegionIterArgs(), op.getInitArgs());
  APInt index = turns->first;
  for (uint64_t turn = 0; turn < turns->count; ++turn, index += turns->step) {
    values.set(op.getInductionVar(), IntegerAttr::get(op.getInductionVar().getType(), index));
    if (++steps > kStepLimit)
      return cannotProve(op) << "the program takes more than " << kStepLimit << " steps";
    if (failed(run(*op.getBody())))
      return failure();
    values.assign(op.getRegionIterArgs(), op.getYieldedValues());
  }
  values.assign(op.getResults(), op.getRegionIterArgs());
  return success();
}

LogicalResult RankEvaluator::evaluate(scf::WhileOp op) {
  values.forget(op.getResults());
  if (!communicating.contains(op))
    return success();
  values.assign(op.getBeforeArguments(), op.getInits());
  while (true) {
    if (failed(run(*op.getBeforeBody())))
      return failure();
    scf::ConditionOp last = op.getConditionOp();
    std::optional<int64_t> condition = values.getInteger(last.getCondition());
    if (!condition)
      return takeEachRegionOnce(op, last.getCondition());
    values.assign(*condition ? ValueRange(op.getAfterArguments()) : ValueRange(op.getResults()),
                  last.getArgs());
    if (!*condition)
      return success();
    if (failed(run(*op.getAfterBody())))
      return failure();
    values.assign(op.getBeforeArguments(), op.getYieldOp().getOperands());
    if (++steps > kStepLimit)
      return cannotProve(op) << "the program takes more than " << kStepLimit << " steps";
  }
}

LogicalResult RankEvaluator::evaluate(CallOpInterface op) {
  constexpr unsigned deepest = 64;
  values.forget(op->getResults());
  auto callee = dyn_cast_or_null<FunctionOpInterface>(op.resolveCallable());
  if (!callee || callee.isExternal() || !communicating.contains(callee))
    return success();
  if (depth == deepest)
    return cannotProve(op) << "calls are nested more than " << deepest << " deep";
  ++depth;
  values.assign(callee.getArguments(), op.getArgOperands());
  Exit exit = enter(callee.getFunctionBody(), callee);
  --depth;
  if (exit.failed())
    return failure();
  if (exit.terminator)
    values.assign(op->getResults(), exit.terminator->getOperands());
  return success();
}
