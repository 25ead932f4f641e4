// What one rank communicates: collectives with the members of its set, messages with their peers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/analysis/order/RankEvaluator.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// What `op` starts: the operations in its region, or itself.
LogicalResult RankEvaluator::start(Operation *op) {
  if (op->getNumRegions() == 1)
    return run(op->getRegion(0).front());
  if (auto message = dyn_cast<PointToPointOpInterface>(op))
    return evaluate(message);
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  return collective ? evaluate(collective) : success();
}

LogicalResult RankEvaluator::evaluate(CommunicationStartOpInterface op) {
  size_t before = trace.background.size();
  isInAsync = true;
  LogicalResult result = start(op);
  isInAsync = false;
  for (size_t i = before; i < trace.background.size(); ++i)
    trace.main.push_back(Event(Event::Start, op));
  futures[op.getFutureValue()] = trace.background.size();
  return result;
}

LogicalResult RankEvaluator::evaluate(CommunicationDoneOpInterface op) {
  values.forget(op->getResults());
  auto found = futures.find(op.getAwaitedFuture());
  if (found == futures.end())
    return cannotProve(op) << "the future does not come directly from a collective.async";
  Event event(Event::Await, op);
  event.count = found->second;
  add(std::move(event));
  return success();
}

/// What ranks outside the world would do is not known.
LogicalResult RankEvaluator::checkInWorld(Operation *op, FlatSymbolRefAttr group, RankSet set) {
  std::optional<int64_t> beyond = values.getSets().findBeyond(set);
  if (!beyond)
    return success();
  return mlir::emitError(op->getLoc())
         << "the set of " << group << " that rank " << rank << " is in has rank " << *beyond
         << ", but the world has the ranks 0 to " << values.getSets().getWorldSize() - 1;
}

LogicalResult RankEvaluator::makeGroup(CollectiveOpInterface op) {
  SmallVector<int64_t> ranks;
  for (Value value : op->getOperands())
    if (std::optional<int64_t> member = values.getInteger(value))
      ranks.push_back(*member);
  bool isKnown = ranks.size() == op->getNumOperands();
  llvm::SmallDenseSet<int64_t> different;
  for (int64_t member : ranks)
    if (!different.insert(member).second)
      return mlir::emitError(op->getLoc())
             << "on rank " << rank << " " << op.getGroupAttr() << " is made of rank " << member
             << " twice; members are different ranks";
  values.makeGroup(op.getGroupAttr().getAttr(),
                   isKnown ? std::optional<SmallVector<int64_t>>(ranks) : std::nullopt);
  return success();
}

LogicalResult RankEvaluator::evaluate(CollectiveOpInterface op) {
  bool makes = isKind(op, {CommunicationKind::CreateGroup});
  if (isKind(op, {CommunicationKind::DestroyGroup}))
    return success();
  if (makes && failed(makeGroup(op)))
    return failure();
  values.forget(op->getResults());
  std::optional<RankSet> set = values.getSet(op, op.getGroupAttr());
  if (!set && uniformity.getDivergence(op))
    return cannotProve(op) << "the members of " << op.getGroupAttr()
                           << " are known only when the program runs, and not all ranks come here";
  if (!set) {
    add(Event(Event::Boundary, op));
    return success();
  }
  if (failed(checkInWorld(op, op.getGroupAttr(), *set)))
    return failure();
  if (set->empty() && makes)
    return success();
  if (set->empty())
    return mlir::emitError(op->getLoc())
           << "rank " << rank << " comes here, but it is in no set of " << op.getGroupAttr()
           << "; let only members execute it (collective.rank is -1 on others)";
  add(Event(Event::Collective, op, *set));
  return success();
}

LogicalResult RankEvaluator::evaluate(PointToPointOpInterface op) {
  values.forget(op->getResults());
  auto set = values.getSet(op, op.getGroupAttr());
  std::optional<int64_t> peer = values.getInteger(op.getPeer());
  if (!set)
    return cannotProve(op) << "the members of " << op.getGroupAttr()
                           << " are known only when the program runs";
  if (failed(checkInWorld(op, op.getGroupAttr(), *set)))
    return failure();
  if (!peer)
    return cannotProve(op) << "the peer depends on data; compute it from the rank, sizes and "
                              "constants";
  if (!op.isTagKnown())
    return cannotProve(op) << "the tag is computed; give a constant";
  if (*peer < 0 || *peer >= static_cast<int64_t>(set->size()))
    return mlir::emitError(op->getLoc())
           << "on rank " << rank << " the peer is " << *peer << ", but its set of "
           << op.getGroupAttr() << " has the ranks 0 to " << static_cast<int64_t>(set->size()) - 1;
  if ((*set)[*peer] == rank)
    return mlir::emitError(op->getLoc()) << "rank " << rank << " would communicate with itself";
  Event event(isKind(op, {CommunicationKind::Send}) ? Event::Send : Event::Receive, op);
  event.peer = (*set)[*peer];
  add(std::move(event));
  return success();
}

FailureOr<RankTrace> RankTracer::trace(FunctionOpInterface function, int64_t rank) {
  RankEvaluator evaluator(rank, sets, deciding, communicating, uniformity);
  if (failed(evaluator.run(function)))
    return failure();
  return std::move(evaluator.trace);
}
