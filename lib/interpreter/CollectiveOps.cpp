// Collectives and messages, by their definition.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Interpreter.h"

#include "dialects/collective/Collective.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::interpreter;

using Values = std::vector<TensorRef>;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static uint64_t combineFloats(ReductionKind kind, uint64_t a, uint64_t b) {
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    return field::add(a, b);
  case ReductionKind::prod:
    return field::mul(a, b);
  case ReductionKind::min:
  case ReductionKind::max:
    if (a == field::kNone || b == field::kNone)
      return field::kNone;
    return (kind == ReductionKind::max) == field::isLess(a, b) ? b : a;
  }
  return field::kNone;
}

static uint64_t combineIntegers(ReductionKind kind, uint64_t a, uint64_t b) {
  switch (kind) {
  case ReductionKind::sum:
  case ReductionKind::mean:
    return a + b;
  case ReductionKind::prod:
    return a * b;
  case ReductionKind::min:
    return std::min(int64_t(a), int64_t(b));
  case ReductionKind::max:
    return std::max(int64_t(a), int64_t(b));
  }
  return 0;
}

/// The reduction of value `index` of all members.
static Tensor reduce(ReductionKind kind, const std::vector<Values> &all, size_t index,
                     bool areFloats) {
  Tensor result = *all.front()[index];
  for (const Values &given : llvm::drop_begin(all))
    for (int64_t i = 0; i < result.size(); ++i) {
      uint64_t next = given[index]->elements[i];
      uint64_t &sum = result.elements[i];
      sum = areFloats ? combineFloats(kind, sum, next) : combineIntegers(kind, sum, next);
    }
  if (kind == ReductionKind::mean)
    for (uint64_t &element : result.elements)
      element = field::divide(element, all.size());
  return result;
}

//===----------------------------------------------------------------------===//
// Meetings
//===----------------------------------------------------------------------===//

namespace {
/// What a rank learns where the members of its set meet.
struct Met {
  std::vector<Values> all; ///< by member; empty for a rank that is in no set
  size_t own = 0;          ///< the number of this rank in its set
};
} // namespace

static FailureOr<Met> meet(Machine &machine, Operation *op, StringAttr group, Values given) {
  FailureOr<std::vector<int64_t>> set = machine.setOf(op, group);
  if (failed(set))
    return failure();
  Met met;
  auto own = llvm::find(*set, machine.place.rank);
  if (own == set->end())
    return met;
  met.own = own - set->begin();
  std::string what = ("'" + op->getName().getStringRef() + "' of " + Twine(given.size()) +
                      " values on @" + group.getValue())
                         .str();
  auto all = machine.ranks.exchange(machine.place.rank, *set, what, std::move(given));
  if (!all)
    return emitError(op->getLoc()) << machine.ranks.getProblem();
  met.all = std::move(*all);
  return met;
}

static Values inputsOf(Machine &machine, ValueRange inputs) {
  Values given;
  for (Value input : inputs)
    given.push_back(machine.get(input));
  return given;
}

/// Ranks that meet to exchange one value must give it in one shape.
static LogicalResult checkShapes(Operation *op, const Met &met, size_t index) {
  for (const Values &given : met.all)
    if (given[index]->shape != met.all.front()[index]->shape)
      return emitError(op->getLoc()) << "'" << op->getName() << "' gets values of several shapes";
  return success();
}

/// Each value of the bucket as `compute` makes it of those of all members, or as it is on a rank
/// that is in no set: its own input, or zeros.
static LogicalResult runBucket(Machine &machine, Operation *op, bool keepsInput,
                               llvm::function_ref<Tensor(const Met &met, size_t index)> compute) {
  auto bucket = cast<BucketOpInterface>(op);
  auto met =
      meet(machine, op, bucket.getGroupAttr().getAttr(), inputsOf(machine, bucket.getInputs()));
  if (failed(met))
    return failure();
  for (auto [index, output] : llvm::enumerate(bucket.getOutputs())) {
    if (failed(checkShapes(op, *met, index)))
      return failure();
    if (!met->all.empty())
      machine.set(output, compute(*met, index));
    else if (keepsInput)
      machine.set(output, machine.get(bucket.getInputs()[index]));
    else
      machine.set(output, Tensor(shapeOf(output)));
  }
  return success();
}

static LogicalResult runAllReduce(Machine &machine, Operation *op) {
  auto allReduce = cast<AllReduceOp>(op);
  return runBucket(machine, op, true, [&](const Met &met, size_t index) {
    return reduce(allReduce.getReduction(), met.all, index, holdsFloats(op->getResult(index)));
  });
}

static LogicalResult runReduce(Machine &machine, Operation *op) {
  auto toRoot = cast<ReduceOp>(op);
  return runBucket(machine, op, true, [&](const Met &met, size_t index) {
    if (int64_t(met.own) != int64_t(toRoot.getRoot()))
      return *met.all[met.own][index];
    return reduce(toRoot.getReduction(), met.all, index, holdsFloats(op->getResult(index)));
  });
}

static LogicalResult runReduceScatter(Machine &machine, Operation *op) {
  auto scatter = cast<ReduceScatterOp>(op);
  return runBucket(machine, op, false, [&](const Met &met, size_t index) {
    Tensor whole =
        reduce(scatter.getReduction(), met.all, index, holdsFloats(op->getResult(index)));
    return cutAlong(whole, scatter.getAxis(), met.own, met.all.size());
  });
}

static LogicalResult runBroadcast(Machine &machine, Operation *op) {
  int64_t root = cast<BroadcastOp>(op).getRoot();
  return runBucket(machine, op, true,
                   [&](const Met &met, size_t index) { return *met.all[root][index]; });
}

static Tensor gather(const Met &met, size_t index, int64_t axis) {
  Values parts;
  for (const Values &given : met.all)
    parts.push_back(given[index]);
  return joinAlong(parts, axis);
}

static LogicalResult runAllGather(Machine &machine, Operation *op) {
  int64_t axis = cast<AllGatherOp>(op).getAxis();
  return runBucket(machine, op, false,
                   [&](const Met &met, size_t index) { return gather(met, index, axis); });
}

static LogicalResult runGather(Machine &machine, Operation *op) {
  auto toRoot = cast<GatherOp>(op);
  return runBucket(machine, op, false, [&](const Met &met, size_t index) {
    Tensor whole = gather(met, index, toRoot.getAxis());
    return int64_t(met.own) == int64_t(toRoot.getRoot()) ? whole : Tensor(whole.shape);
  });
}

static LogicalResult runScatter(Machine &machine, Operation *op) {
  auto scatter = cast<ScatterOp>(op);
  return runBucket(machine, op, false, [&](const Met &met, size_t index) {
    return cutAlong(*met.all[scatter.getRoot()][index], scatter.getAxis(), met.own, met.all.size());
  });
}

static LogicalResult runAllToAll(Machine &machine, Operation *op) {
  auto exchange = cast<AllToAllOp>(op);
  return runBucket(machine, op, false, [&](const Met &met, size_t index) {
    Values parts;
    for (const Values &given : met.all)
      parts.push_back(
          makeTensor(cutAlong(*given[index], exchange.getSplitAxis(), met.own, met.all.size())));
    return joinAlong(parts, exchange.getConcatAxis());
  });
}

//===----------------------------------------------------------------------===//
// Exchanges of rows
//===----------------------------------------------------------------------===//

static int64_t rowSize(const Tensor &tensor) {
  return Tensor::countElements(ArrayRef(tensor.shape).drop_front());
}

/// Copies rows; false where they lie beyond a tensor.
static bool copyRows(const Tensor &from, int64_t first, int64_t count, Tensor &to, int64_t place) {
  int64_t size = rowSize(from);
  if (first < 0 || place < 0 || count < 0 || (first + count) * size > from.size() ||
      (place + count) * size > to.size())
    return false;
  std::copy_n(from.elements.begin() + first * size, count * size,
              to.elements.begin() + place * size);
  return true;
}

static LogicalResult failRows(Operation *op) {
  return emitError(op->getLoc()) << "'" << op->getName()
                                 << "': counts and displacements of two ranks do not fit together";
}

static LogicalResult runAllToAllV(Machine &machine, Operation *op) {
  auto exchange = cast<AllToAllVOp>(op);
  auto met = meet(machine, op, exchange.getGroupAttr().getAttr(),
                  inputsOf(machine, {exchange.getData(), exchange.getSendCounts(),
                                     exchange.getSendDisplacements()}));
  if (failed(met))
    return failure();
  Tensor result = *machine.get(exchange.getInit());
  TensorRef counts = machine.get(exchange.getReceiveCounts()),
            places = machine.get(exchange.getReceiveDisplacements());
  for (auto [member, given] : llvm::enumerate(met->all)) {
    int64_t count = given[1]->elements[met->own];
    if (count != int64_t(counts->elements[member]) ||
        !copyRows(*given[0], given[2]->elements[met->own], count, result, places->elements[member]))
      return failRows(op);
  }
  machine.set(exchange.getResult(), std::move(result));
  return success();
}

static LogicalResult runAllToAllVC(Machine &machine, Operation *op) {
  auto exchange = cast<AllToAllVCOp>(op);
  auto met = meet(machine, op, exchange.getGroupAttr().getAttr(),
                  inputsOf(machine, {exchange.getData(), exchange.getCounts()}));
  if (failed(met))
    return failure();
  Tensor result = *machine.get(exchange.getInit());
  TensorRef counts = machine.get(exchange.getCounts());
  int64_t size = met->all.size(), place = 0;
  for (auto [member, given] : llvm::enumerate(met->all)) {
    int64_t first = 0, count = counts->elements[member * size + met->own];
    for (size_t other = 0; other < met->own; ++other)
      first += counts->elements[member * size + other];
    if (!copyRows(*given[0], first, count, result, place))
      return failRows(op);
    place += count;
  }
  machine.set(exchange.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static FailureOr<int64_t> findPeer(Machine &machine, Operation *op, FlatSymbolRefAttr group,
                                   Value peer) {
  FailureOr<std::vector<int64_t>> set = machine.setOf(op, group.getAttr());
  if (failed(set))
    return failure();
  int64_t number = machine.getIndex(peer);
  if (number < 0 || number >= int64_t(set->size()))
    return emitError(op->getLoc()) << "there is no rank " << number << " in " << group;
  return (*set)[number];
}

static LogicalResult runSend(Machine &machine, Operation *op) {
  auto send = cast<SendOp>(op);
  FailureOr<int64_t> peer = findPeer(machine, op, send.getGroupAttr(), send.getPeer());
  if (failed(peer))
    return failure();
  machine.ranks.send(machine.place.rank, *peer, send.getTag(), inputsOf(machine, send.getInputs()));
  return success();
}

static LogicalResult runReceive(Machine &machine, Operation *op) {
  auto receive = cast<RecvOp>(op);
  FailureOr<int64_t> peer = findPeer(machine, op, receive.getGroupAttr(), receive.getPeer());
  if (failed(peer))
    return failure();
  auto values = machine.ranks.receive(*peer, machine.place.rank, receive.getTag());
  if (!values)
    return emitError(op->getLoc()) << machine.ranks.getProblem();
  if (values->size() != receive.getOutputs().size())
    return emitError(op->getLoc()) << "a message of " << values->size() << " values arrives where "
                                   << receive.getOutputs().size() << " are received";
  for (auto [output, value] : llvm::zip(receive.getOutputs(), *values))
    machine.set(output, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Groups, and what stays on a rank
//===----------------------------------------------------------------------===//

static LogicalResult runBarrier(Machine &machine, Operation *op) {
  return success(succeeded(meet(machine, op, cast<BarrierOp>(op).getGroupAttr().getAttr(), {})));
}

static LogicalResult runCreateGroup(Machine &machine, Operation *op) {
  auto create = cast<CreateGroupOp>(op);
  std::vector<int64_t> set;
  for (Value rank : create.getRanks())
    set.push_back(machine.getIndex(rank));
  if (!llvm::is_contained(set, machine.place.rank))
    set.clear();
  machine.madeGroups[create.getGroup()] = std::move(set);
  return success();
}

static LogicalResult runDestroyGroup(Machine &machine, Operation *op) {
  machine.madeGroups.erase(cast<DestroyGroupOp>(op).getGroup());
  return success();
}

static int64_t numberIn(const std::vector<int64_t> &set, int64_t rank) {
  auto place = llvm::find(set, rank);
  return place == set.end() ? -1 : place - set.begin();
}

static LogicalResult runRank(Machine &machine, Operation *op) {
  auto set = machine.setOf(op, cast<RankOp>(op).getGroupAttr().getAttr());
  if (failed(set))
    return failure();
  machine.set(op->getResult(0), makeScalar(numberIn(*set, machine.place.rank)));
  return success();
}

static LogicalResult runSize(Machine &machine, Operation *op) {
  auto set = machine.setOf(op, cast<SizeOp>(op).getGroupAttr().getAttr());
  if (failed(set))
    return failure();
  bool isMember = llvm::is_contained(*set, machine.place.rank);
  machine.set(op->getResult(0), makeScalar(isMember ? set->size() : 0));
  return success();
}

static int64_t ranksOfNode(const Machine &machine) {
  return machine.place.ranksPerNode ? machine.place.ranksPerNode : machine.place.ranks;
}
static LogicalResult runLocalRank(Machine &machine, Operation *op) {
  machine.set(op->getResult(0), makeScalar(machine.place.rank % ranksOfNode(machine)));
  return success();
}
static LogicalResult runLocalSize(Machine &machine, Operation *op) {
  machine.set(op->getResult(0), makeScalar(ranksOfNode(machine)));
  return success();
}

static LogicalResult runTranslateRank(Machine &machine, Operation *op) {
  auto translate = cast<TranslateRankOp>(op);
  auto from = machine.setOf(op, translate.getFromAttr().getAttr());
  auto to = machine.setOf(op, translate.getToAttr().getAttr());
  if (failed(from) || failed(to))
    return failure();
  int64_t rank = machine.getIndex(translate.getRank());
  bool exists = rank >= 0 && rank < int64_t(from->size());
  machine.set(op->getResult(0), makeScalar(exists ? numberIn(*to, (*from)[rank]) : -1));
  return success();
}

/// The elements in a row, cut or filled with zeros to what the result holds.
static LogicalResult runFlat(Machine &machine, Operation *op) {
  Tensor result(shapeOf(op->getResult(0)));
  TensorRef from = machine.get(op->getOperand(0));
  std::copy_n(from->elements.begin(), std::min(from->size(), result.size()),
              result.elements.begin());
  machine.set(op->getResult(0), std::move(result));
  return success();
}

/// Values were there when their communication began.
static LogicalResult runComplete(Machine &machine, Operation *op) {
  auto complete = cast<CompleteOp>(op);
  for (auto [output, value] : llvm::zip_equal(complete.getOutputs(), complete.getPromised()))
    machine.set(output, machine.get(value));
  return success();
}

void tutti::interpreter::addCollectiveOps(HandlerTable &table) {
  table["collective.all_reduce"] = runAllReduce;
  table["collective.reduce"] = runReduce;
  table["collective.reduce_scatter"] = runReduceScatter;
  table["collective.broadcast"] = runBroadcast;
  table["collective.all_gather"] = runAllGather;
  table["collective.gather"] = runGather;
  table["collective.scatter"] = runScatter;
  table["collective.all_to_all"] = runAllToAll;
  table["collective.all_to_all_v"] = runAllToAllV;
  table["collective.all_to_all_vc"] = runAllToAllVC;
  table["collective.send"] = runSend;
  table["collective.recv"] = runReceive;
  table["collective.barrier"] = runBarrier;
  table["collective.create_group"] = runCreateGroup;
  table["collective.destroy_group"] = runDestroyGroup;
  table["collective.rank"] = runRank;
  table["collective.size"] = runSize;
  table["collective.local_rank"] = runLocalRank;
  table["collective.local_size"] = runLocalSize;
  table["collective.translate_rank"] = runTranslateRank;
  table["collective.flatten"] = runFlat;
  table["collective.unflatten"] = runFlat;
  table["collective.complete"] = runComplete;
}
