// Blocks as schedules see them: what needs what, and which collectives are a chain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/OverlapSchedule.h"

#include "dialects/collective/Effects.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether the operation keeps its place among those with effects. Collectives on tensors do not:
/// all ranks have the same new order; and what only reads the group table is held by what writes
/// it.
static bool isOrdered(Operation *op) {
  if (movesData(op) && op->getNumResults() > 0 && !op->hasAttr(kDistinct))
    return false;
  auto effects = getEffectsRecursively(op);
  return !effects || llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Read>(effect.getEffect()) ||
           effect.getResource() != GroupTableResource::get();
  });
}

void ScheduleGraph::connect() {
  for (auto [number, node] : llvm::enumerate(nodes))
    for (unsigned maker : node.needs)
      nodes[maker].users.push_back(number);
}

ScheduleGraph communication::makeScheduleGraph(Block &block) {
  ScheduleGraph graph;
  DenseMap<Operation *, unsigned> numbers;
  std::optional<unsigned> lastLate;
  graph.nodes.reserve(block.getOperations().size());
  for (Operation &op : block) {
    numbers[&op] = graph.nodes.size();
    ScheduleGraph::Node &node = graph.nodes.emplace_back();
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && maker->getBlock() == &block)
          node.needs.push_back(numbers.lookup(maker));
    });
    node.isPlain = isMemoryEffectFree(&op);
    node.keepsOrder = !node.isPlain && isOrdered(&op);
    node.isFence = ordersCommunication(&op);
    node.isConstant = matchPattern(&op, m_Constant());
    node.isLate = op.hasAttr(kRegather);
    if (node.isLate && lastLate)
      node.needs.push_back(*lastLate);
    lastLate = node.isLate ? numbers[&op] : lastLate;
  }
  if (lastLate) // memory is scarce: what is scattered shall not be kept to the end
    for (Operation &op : block)
      graph.nodes[numbers[&op]].isSoonDone = isKind(&op, {CommunicationKind::ReduceScatter});
  graph.connect();
  return graph;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

bool communication::isSynchronous(BucketOpInterface op) {
  return op.getDestinations().empty() && !op.getInputs().empty() && !op->hasAttr(kFuture) &&
         !isStartedApart(op) && !op->use_empty();
}

Refusal communication::whySynchronous(BucketOpInterface op, const CollectiveMotion &motion) {
  Refusal refusal = motion.whyStays(op);
  const CommunicationDialectInterface *factory = getFactory(op);
  if (!refusal && !(factory && factory->makesPairs()))
    return "its dialect has no pair of operations that start and await it";
  return refusal;
}

/// Whether data can go in and out without being moved within a rank.
static bool handsOnAsIs(Operation *op) {
  std::optional<CommunicationForm> form = getForm(op);
  return form && form->kind != CommunicationKind::AllToAll && form->axis == 0;
}

/// The operation of the same dialect whose results are exactly the operands of `op`, if `op` is
/// their only user.
static Operation *findPredecessor(BucketOpInterface op) {
  Operation *maker = op.getInputs().front().getDefiningOp();
  if (!maker || maker->getNumResults() != op.getInputs().size() || !handsOnAsIs(op) ||
      !handsOnAsIs(maker) || maker->getDialect() != op->getDialect())
    return nullptr;
  bool isOnly = llvm::all_of(op.getInputs(), [&](Value input) {
    return input.getDefiningOp() == maker && input.hasOneUse();
  });
  return isOnly ? maker : nullptr;
}

SmallVector<Chain> communication::findChains(Block &block,
                                             llvm::function_ref<bool(BucketOpInterface)> isWanted) {
  SmallVector<Chain> chains;
  DenseMap<Operation *, unsigned> ends; // the last link of each chain
  for (auto [place, each] : llvm::enumerate(block)) {
    if (ordersCommunication(&each))
      ends.clear();
    auto op = dyn_cast<BucketOpInterface>(each);
    if (!op || !isWanted(op))
      continue;
    auto before = ends.find(findPredecessor(op));
    unsigned number = before == ends.end() ? chains.size() : before->second;
    if (number == chains.size())
      chains.emplace_back();
    chains[number].push_back(place);
    ends[op] = number;
  }
  return chains;
}
