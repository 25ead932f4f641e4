// Two clocks: one for computation, one for the communication thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/Timeline.h"

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"

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

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

StepClock::StepClock(const Cluster &cluster, int64_t ranks) : cluster(&cluster) {
  double ranksOnNode = double(std::min(ranks, cluster.ranksPerNode));
  stolenShare = 1 - std::clamp((cluster.coresPerNode - ranksOnNode) / ranksOnNode, 0.0, 1.0);
}

void StepClock::compute(double seconds) {
  now += seconds;
  computed += seconds;
}

void StepClock::communicate(const CommunicationTime &time) {
  forgetComplete();
  double left = std::max(0.0, beside - now);
  double shared =
      std::min({time.nodeLink, nodeLink, left}) + std::min({time.network, network, left});
  now += time.seconds + shared;
  beside += shared;
  delay += shared;
  communicated += time.seconds;
}

StepClock::Future StepClock::start(const CommunicationTime &time) {
  forgetComplete();
  double left = std::max(0.0, beside - now);
  nodeLink = std::min(nodeLink, left) + time.nodeLink;
  network = std::min(network, left) + time.network;
  communicated += time.seconds;
  beside = std::max(beside, now) + time.seconds;
  now += time.processor * stolenShare;
  ends.push_back(beside - delay);
  return complete + Future(ends.size());
}

void StepClock::await(Future future) {
  if (future > complete)
    now = std::max(now, ends[size_t(future - complete - 1)] + delay);
}

/// A later delay is none of theirs.
void StepClock::forgetComplete() {
  for (; !ends.empty() && ends.front() + delay <= now; ++complete)
    ends.pop_front();
}

void StepClock::repeatSince(const Moment &before, double times) {
  now = before.now + (now - before.now) * times;
  beside = std::max(beside, now);
  computed = before.computed + (computed - before.computed) * times;
  communicated = before.communicated + (communicated - before.communicated) * times;
}

StepTime StepClock::time() const {
  double step = now + cluster->compute.step;
  double alone = computed + cluster->compute.step;
  return {step, alone, communicated, std::max(0.0, step - alone)};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Bytes of one call for each element type; one without bytes where there is no payload.
static SmallVector<int64_t> bytesOfCalls(Operation *op) {
  llvm::MapVector<Type, int64_t> bytes;
  for (Value value : tutti::program::payloadOf(op))
    if (auto type = cast<ShapedType>(value.getType()); type.hasStaticShape())
      bytes[type.getElementType()] +=
          type.getNumElements() * tutti::program::bytesOfType(type.getElementType());
  if (bytes.empty())
    return {0};
  return llvm::map_to_vector(bytes, [](auto &entry) { return entry.second; });
}

CommunicationTime CallTimes::of(StringRef kind, int64_t bytes, StringRef group) {
  auto [shape, isNew] = shapes.try_emplace(group);
  if (isNew)
    shape->second = shapeOfGroup(module, group, cluster, ranks);
  return timeOf(kind, bytes, shape->second, cluster);
}

CommunicationTime CallTimes::of(Operation *op) {
  auto collective = dyn_cast<CollectiveOpInterface>(op);
  StringRef group = collective ? collective.getGroupAttr().getValue()
                               : cast<PointToPointOpInterface>(op).getGroupAttr().getValue();
  CommunicationTime total;
  for (int64_t bytes : bytesOfCalls(op))
    total += of(spellKind(op), bytes, group);
  return total;
}

double tutti::cost::countTurns(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<llvm::APInt> count = loop ? loop.getStaticTripCount() : std::nullopt;
  return count ? double(count->getZExtValue()) : 1;
}

//===----------------------------------------------------------------------===//
// The play
//===----------------------------------------------------------------------===//

namespace {

class Player {
public:
  Player(ModuleOp module, const Cluster &cluster, int64_t ranks)
      : cluster(cluster), ranksOnNode(std::min(ranks, cluster.ranksPerNode)),
        calls(module, cluster, ranks), clock(cluster, ranks) {}

  void play(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        play(&op);
  }
  StepTime time() const { return clock.time(); }

private:
  void play(Operation *op);
  void playLoop(Operation *op);
  void communicate(Operation *op);
  void start(CommunicationStartOpInterface op);

  const Cluster &cluster;
  int64_t ranksOnNode;
  CallTimes calls;
  StepClock clock;
  llvm::DenseMap<int64_t, StepClock::Future> numbered; ///< by number of a future
  llvm::DenseMap<Value, StepClock::Future> promised;   ///< by futures that are values
};

void Player::communicate(Operation *op) {
  CommunicationTime time = calls.of(op);
  if (auto future = op->getAttrOfType<IntegerAttr>(kFuture))
    numbered[future.getInt()] = clock.start(time);
  else
    clock.communicate(time);
}

/// What stands in its region, or itself, runs beside the program.
void Player::start(CommunicationStartOpInterface op) {
  StepClock::Future &last = promised[op.getFutureValue()];
  op->walk([&](Operation *inner) {
    if (isa<CollectiveOpInterface, PointToPointOpInterface>(inner))
      last = clock.start(calls.of(inner));
  });
}

/// The body is simulated once and its time multiplied.
void Player::playLoop(Operation *op) {
  StepClock::Moment before = clock.moment();
  for (Region &region : op->getRegions())
    play(region);
  clock.repeatSince(before, countTurns(op));
}

void Player::play(Operation *op) {
  if (auto pair = dyn_cast<CommunicationStartOpInterface>(op))
    return start(pair);
  if (isa<CollectiveOpInterface, PointToPointOpInterface>(op))
    return communicate(op);
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  if (Value future = done ? done.getAwaitedFuture() : Value())
    return clock.await(promised.lookup(future));
  if (std::optional<int64_t> number = done ? done.getAwaitedNumber() : std::nullopt)
    return clock.await(numbered.lookup(*number));
  if (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op))
    return playLoop(op);
  clock.compute(secondsOf(workOf(op), cluster, ranksOnNode));
}

} // namespace

StepTime tutti::cost::timeOfStep(ModuleOp module, const Cluster &cluster, int64_t ranks) {
  Player player(module, cluster, ranks);
  if (auto step = module.lookupSymbol<FunctionOpInterface>("step"))
    player.play(step.getFunctionBody());
  return player.time();
}
