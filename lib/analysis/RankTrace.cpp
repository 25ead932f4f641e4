// Follows the control flow of one rank and writes down what it communicates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/RankTrace.h"

#include "lib/analysis/RankValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// Whether the operation by itself, without regions and callees, communicates.
static bool isCommunication(Operation *op) {
  return isa<CollectiveOpInterface, PointToPointOpInterface, AwaitOp>(op);
}

bool tutti::communicates(Operation *op) {
  llvm::SetVector<Operation *> places;
  places.insert(op);
  for (size_t i = 0; i < places.size(); ++i) {
    WalkResult result = places[i]->walk([&](Operation *inner) {
      if (isCommunication(inner))
        return WalkResult::interrupt();
      if (auto call = dyn_cast<CallOpInterface>(inner))
        if (Operation *callee = call.resolveCallable())
          places.insert(callee);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

namespace {
class Evaluator {
public:
  Evaluator(int64_t rank, int64_t worldSize, const UniformityAnalysis &uniformity)
      : rank(rank), values(rank, worldSize), uniformity(uniformity) {}

  LogicalResult run(FunctionOpInterface function) {
    return enter(function.getFunctionBody(), function).failed() ? failure() : success();
  }

  RankTrace trace;

private:
  /// The operation that ends the region, whose operands it hands on; null where nothing that
  /// follows is known, and nothing that follows communicates.
  struct Exit {
    bool failed() const { return hasFailed; }
    Operation *terminator = nullptr;
    bool hasFailed = false;
  };

  Exit enter(Region &region, Operation *owner);
  LogicalResult run(Block &block);
  LogicalResult evaluate(Operation *op);

  // Control.
  LogicalResult evaluate(scf::IfOp op);
  LogicalResult evaluate(scf::IndexSwitchOp op);
  LogicalResult evaluate(scf::ForOp op);
  LogicalResult evaluate(scf::WhileOp op);
  LogicalResult evaluate(scf::ExecuteRegionOp op);
  LogicalResult evaluate(CallOpInterface op);
  LogicalResult choose(Operation *op, Region *region);
  LogicalResult takeEachRegionOnce(Operation *op, Value control);

  // Communication.
  LogicalResult evaluate(AsyncOp op);
  LogicalResult evaluate(AwaitOp op);
  LogicalResult evaluate(CreateGroupOp op);
  LogicalResult evaluate(PointToPointOpInterface op);
  LogicalResult evaluate(CollectiveOpInterface op);
  void add(Event event) { (isInAsync ? trace.background : trace.main).push_back(std::move(event)); }

  InFlightDiagnostic cannotProve(Operation *op) {
    return mlir::emitError(op->getLoc())
           << "cannot prove what rank " << rank << " communicates here: ";
  }

  int64_t rank;
  RankValues values;
  const UniformityAnalysis &uniformity;
  uint64_t steps = 0;
  unsigned depth = 0;
  bool isInAsync = false;
  /// How many events of the background each future stands for, counted from the start.
  llvm::DenseMap<Value, size_t> futures;
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks and branches
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::run(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (++steps > kStepLimit)
      return cannotProve(&op) << "the program takes more than " << kStepLimit << " steps";
    if (failed(evaluate(&op)))
      return failure();
  }
  return success();
}

Evaluator::Exit Evaluator::enter(Region &region, Operation *owner) {
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
      if (!communicates(owner))
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

LogicalResult Evaluator::evaluate(Operation *op) {
  bool matters = op->getNumRegions() != 0 || isCommunication(op) || isa<CallOpInterface>(op);
  if (!matters) {
    values.compute(op);
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<scf::IfOp, scf::IndexSwitchOp, scf::ForOp, scf::WhileOp, scf::ExecuteRegionOp, AsyncOp,
            AwaitOp, CreateGroupOp>([&](auto known) { return evaluate(known); })
      .Case([&](DestroyGroupOp) { return success(); })
      .Case([&](PointToPointOpInterface message) { return evaluate(message); })
      .Case([&](CollectiveOpInterface call) { return evaluate(call); })
      .Case([&](CallOpInterface call) { return evaluate(call); })
      .Default([&](Operation *) -> LogicalResult {
        values.forget(op->getResults());
        if (!communicates(op))
          return success();
        return cannotProve(op) << "how often '" << op->getName()
                               << "' runs its regions, and in which order, is not defined";
      });
}

//===----------------------------------------------------------------------===//
// Structured control
//===----------------------------------------------------------------------===//

/// Runs `region` (none: an empty else) and hands on what it yields.
LogicalResult Evaluator::choose(Operation *op, Region *region) {
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
LogicalResult Evaluator::takeEachRegionOnce(Operation *op, Value control) {
  values.forget(op->getResults());
  if (!communicates(op))
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

LogicalResult Evaluator::evaluate(scf::IfOp op) {
  std::optional<int64_t> condition = values.getInteger(op.getCondition());
  if (!condition)
    return takeEachRegionOnce(op, op.getCondition());
  return choose(op, *condition ? &op.getThenRegion() : &op.getElseRegion());
}

LogicalResult Evaluator::evaluate(scf::IndexSwitchOp op) {
  std::optional<int64_t> value = values.getInteger(op.getArg());
  if (!value)
    return takeEachRegionOnce(op, op.getArg());
  for (auto [label, region] : llvm::zip(op.getCases(), op.getCaseRegions()))
    if (label == *value)
      return choose(op, &region);
  return choose(op, &op.getDefaultRegion());
}

LogicalResult Evaluator::evaluate(scf::ExecuteRegionOp op) { return choose(op, &op.getRegion()); }

/// Whether a loop that does not communicate is worth running for the numbers that it computes.
static bool isShortArithmetic(scf::ForOp op, int64_t iterations) {
  return iterations < 1000 &&
         llvm::all_of(op.getResultTypes(), [](Type type) { return type.isIntOrIndex(); });
}

LogicalResult Evaluator::evaluate(scf::ForOp op) {
  auto from = values.getInteger(op.getLowerBound()), to = values.getInteger(op.getUpperBound());
  auto step = values.getInteger(op.getStep());
  bool isKnown = from && to && step && *step > 0;
  if (!isKnown || (!communicates(op) && !isShortArithmetic(op, (*to - *from) / *step))) {
    for (Value bound : {op.getLowerBound(), op.getUpperBound(), op.getStep()})
      if (!uniformity.isUniform(bound))
        return takeEachRegionOnce(op, bound);
    return takeEachRegionOnce(op, op.getUpperBound());
  }
  values.assign(op.getRegionIterArgs(), op.getInitArgs());
  for (int64_t i = *from; i < *to; i += *step) {
    values.setInteger(op.getInductionVar(), i);
    if (++steps > kStepLimit)
      return cannotProve(op) << "the program takes more than " << kStepLimit << " steps";
    if (failed(run(*op.getBody())))
      return failure();
    values.assign(op.getRegionIterArgs(), op.getYieldedValues());
  }
  values.assign(op.getResults(), op.getRegionIterArgs());
  return success();
}

LogicalResult Evaluator::evaluate(scf::WhileOp op) {
  values.forget(op.getResults());
  if (!communicates(op))
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

LogicalResult Evaluator::evaluate(CallOpInterface op) {
  constexpr unsigned deepest = 64;
  values.forget(op->getResults());
  auto callee = dyn_cast_or_null<FunctionOpInterface>(op.resolveCallable());
  if (!callee || callee.isExternal() || !communicates(callee))
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

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

LogicalResult Evaluator::evaluate(AsyncOp op) {
  size_t before = trace.background.size();
  isInAsync = true;
  LogicalResult result = run(op->getRegion(0).front());
  isInAsync = false;
  for (size_t i = before; i < trace.background.size(); ++i)
    trace.main.push_back(Event(Event::Start, op));
  futures[op->getResult(0)] = trace.background.size();
  return result;
}

LogicalResult Evaluator::evaluate(AwaitOp op) {
  values.forget(op->getResults());
  auto found = futures.find(op.getFuture());
  if (found == futures.end())
    return cannotProve(op) << "the future does not come directly from a collective.async";
  Event event(Event::Await, op);
  event.count = found->second;
  add(std::move(event));
  return success();
}

LogicalResult Evaluator::evaluate(CreateGroupOp op) {
  SmallVector<int64_t> ranks;
  for (Value value : op.getRanks())
    if (std::optional<int64_t> member = values.getInteger(value))
      ranks.push_back(*member);
  bool isKnown = ranks.size() == op.getRanks().size();
  values.makeGroup(op.getGroupAttr().getAttr(),
                   isKnown ? std::optional<SmallVector<int64_t>>(ranks) : std::nullopt);
  return evaluate(cast<CollectiveOpInterface>(op.getOperation()));
}

LogicalResult Evaluator::evaluate(CollectiveOpInterface op) {
  values.forget(op->getResults());
  std::optional<SmallVector<int64_t>> set = values.getSet(op, op.getGroupAttr());
  if (!set && uniformity.getDivergence(op))
    return cannotProve(op) << "the members of " << op.getGroupAttr()
                           << " are known only when the program runs, and not all ranks come here";
  if (!set) {
    add(Event(Event::Boundary, op));
    return success();
  }
  if (set->empty() && isa<CreateGroupOp>(op))
    return success();
  if (set->empty())
    return mlir::emitError(op->getLoc())
           << "rank " << rank << " comes here, but it is in no set of " << op.getGroupAttr()
           << "; let only members execute it (collective.rank is -1 on others)";
  add(Event(Event::Collective, op, *set));
  return success();
}

LogicalResult Evaluator::evaluate(PointToPointOpInterface op) {
  values.forget(op->getResults());
  auto set = values.getSet(op, op.getGroupAttr());
  std::optional<int64_t> peer = values.getInteger(op.getPeer());
  if (!set)
    return cannotProve(op) << "the members of " << op.getGroupAttr()
                           << " are known only when the program runs";
  if (!peer)
    return cannotProve(op) << "the peer depends on data; compute it from the rank, sizes and "
                              "constants";
  if (*peer < 0 || *peer >= static_cast<int64_t>(set->size()))
    return mlir::emitError(op->getLoc())
           << "on rank " << rank << " the peer is " << *peer << ", but its set of "
           << op.getGroupAttr() << " has the ranks 0 to " << static_cast<int64_t>(set->size()) - 1;
  if ((*set)[*peer] == rank)
    return mlir::emitError(op->getLoc()) << "rank " << rank << " would communicate with itself";
  Event event(isa<SendOp>(op) ? Event::Send : Event::Receive, op);
  event.peer = (*set)[*peer];
  add(std::move(event));
  return success();
}

FailureOr<RankTrace> tutti::traceRank(FunctionOpInterface function, int64_t rank, int64_t worldSize,
                                      const UniformityAnalysis &uniformity) {
  Evaluator evaluator(rank, worldSize, uniformity);
  if (failed(evaluator.run(function)))
    return failure();
  return std::move(evaluator.trace);
}
