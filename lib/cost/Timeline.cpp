// Two clocks: one for computation, one for the communication thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Timeline.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/Communication.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>

using namespace mlir;
using namespace tutti;
using namespace tutti::cost;
using namespace tutti::collective;

namespace {

class Player {
public:
  Player(ModuleOp module, const Cluster &cluster, int64_t ranks)
      : module(module), cluster(cluster), ranks(ranks),
        ranksOnNode(std::min(ranks, cluster.ranksPerNode)) {
    double spare = cluster.coresPerNode - double(ranksOnNode);
    stolenShare = 1 - std::clamp(spare / double(ranksOnNode), 0.0, 1.0);
  }

  void play(Region &region);
  StepTime time() const {
    double step = now + cluster.compute.step;
    double alone = compute + cluster.compute.step;
    return {step, alone, communication, std::max(0.0, step - alone)};
  }

private:
  void play(Operation *op);
  void playLoop(Operation *op, double times);
  void communicate(Operation *op);
  void await(int64_t future) { now = std::max(now, finished.lookup(future)); }
  void start(CommunicationStartOpInterface op);
  void runBeside(const CommunicationTime &time);
  CommunicationTime timeOfCall(Operation *op);

  ModuleOp module;
  const Cluster &cluster;
  int64_t ranks, ranksOnNode;
  double stolenShare = 0; ///< of what communication beside computation takes of a processor

  double now = 0;    ///< where the program is
  double beside = 0; ///< when the thread beside it is free
  double compute = 0, communication = 0;
  llvm::DenseMap<int64_t, double> finished; ///< when a future is complete
  llvm::DenseMap<Value, double> promised;   ///< the same of futures that are values
  llvm::StringMap<GroupShape> shapes;
};

/// One call for each element type; one without bytes where there is no payload.
SmallVector<int64_t> bytesOfCalls(Operation *op) {
  llvm::MapVector<Type, int64_t> bytes;
  for (Value value : tutti::program::payloadOf(op))
    if (auto type = cast<ShapedType>(value.getType()); type.hasStaticShape())
      bytes[type.getElementType()] +=
          type.getNumElements() * tutti::program::bytesOfType(type.getElementType());
  if (bytes.empty())
    return {0};
  return llvm::map_to_vector(bytes, [](auto &entry) { return entry.second; });
}

CommunicationTime Player::timeOfCall(Operation *op) {
  StringRef group;
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    group = collective.getGroupAttr().getValue();
  else
    group = cast<PointToPointOpInterface>(op).getGroupAttr().getValue();
  auto [shape, isNew] = shapes.try_emplace(group);
  if (isNew)
    shape->second = shapeOfGroup(module, group, cluster, ranks);
  CommunicationTime total;
  for (int64_t bytes : bytesOfCalls(op)) {
    CommunicationTime one = timeOf(spellKind(op), bytes, shape->second, cluster);
    total.seconds += one.seconds;
    total.processor += one.processor;
  }
  return total;
}

void Player::communicate(Operation *op) {
  CommunicationTime time = timeOfCall(op);
  communication += time.seconds;
  auto future = op->getAttrOfType<IntegerAttr>(kFuture);
  if (!future) {
    now += time.seconds;
    return;
  }
  runBeside(time);
  finished[future.getInt()] = beside;
}

void Player::runBeside(const CommunicationTime &time) {
  beside = std::max(beside, now) + time.seconds;
  now += time.processor * stolenShare;
}

/// What stands in its region, or itself, runs beside the program.
void Player::start(CommunicationStartOpInterface op) {
  op->walk([&](Operation *inner) {
    if (!isa<CollectiveOpInterface, PointToPointOpInterface>(inner))
      return;
    CommunicationTime time = timeOfCall(inner);
    communication += time.seconds;
    runBeside(time);
  });
  promised[op.getFutureValue()] = beside;
}

/// The body is simulated once and its time multiplied by `times`; it awaits what it starts.
void Player::playLoop(Operation *op, double times) {
  double before = now, computeBefore = compute, communicationBefore = communication;
  for (Region &region : op->getRegions())
    play(region);
  now = before + (now - before) * times;
  beside = std::max(beside, now);
  compute = computeBefore + (compute - computeBefore) * times;
  communication = communicationBefore + (communication - communicationBefore) * times;
}

double tripCount(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return 1;
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  return count ? double(count->getZExtValue()) : 1;
}

void Player::play(Operation *op) {
  if (auto pair = dyn_cast<CommunicationStartOpInterface>(op))
    return start(pair);
  if (isa<CollectiveOpInterface, PointToPointOpInterface>(op))
    return communicate(op);
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  if (Value future = done ? done.getAwaitedFuture() : Value()) {
    now = std::max(now, promised.lookup(future));
    return;
  }
  if (std::optional<int64_t> number = done ? done.getAwaitedNumber() : std::nullopt)
    return await(*number);
  if (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op))
    return playLoop(op, tripCount(op));
  double seconds = secondsOf(workOf(op), cluster, ranksOnNode);
  now += seconds;
  compute += seconds;
}

void Player::play(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      play(&op);
}

} // namespace

StepTime tutti::cost::timeOfStep(ModuleOp module, const Cluster &cluster, int64_t ranks) {
  Player player(module, cluster, ranks);
  if (auto step = module.lookupSymbol<FunctionOpInterface>("step"))
    player.play(step.getFunctionBody());
  return player.time();
}
