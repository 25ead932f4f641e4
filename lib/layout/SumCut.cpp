// A minimum cut of the values that are sums, by augmenting paths (Dinic).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/SumCut.h"

#include "lib/stablehlo/Ops.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstdint>
#include <limits>

using namespace mlir;
using namespace tutti;
using stablehlo::isKind;

/// What a size that is not known counts as.
static constexpr int64_t kUsualSize = 64;

/// What a number of iterations that is not known counts as, and the most that any counts as.
static constexpr int64_t kUsualTrips = 4, kMostTrips = 1 << 16;

static constexpr int64_t kUncut = std::numeric_limits<int64_t>::max() / 4;

namespace {
/// A network of pipes. Node 0 is the source, node 1 the sink.
class Network {
public:
  unsigned addNode() {
    pipesOf.emplace_back();
    return pipesOf.size() - 1;
  }

  void addPipe(unsigned from, unsigned to, int64_t capacity) {
    pipesOf[from].push_back(pipes.size());
    pipes.push_back({to, capacity});
    pipesOf[to].push_back(pipes.size());
    pipes.push_back({from, 0});
  }

  void fill() {
    while (findLevels()) {
      next.assign(pipesOf.size(), 0);
      while (push())
        ;
    }
  }

  /// Whether water from the source still comes to `node`, after fill.
  bool isReached(unsigned node) const { return levels[node] >= 0; }

private:
  struct Pipe {
    unsigned to;
    int64_t capacity;
  };

  bool findLevels() {
    levels.assign(pipesOf.size(), -1);
    SmallVector<unsigned> queue = {0};
    levels[0] = 0;
    for (size_t at = 0; at < queue.size(); ++at)
      for (unsigned index : pipesOf[queue[at]])
        if (pipes[index].capacity > 0 && levels[pipes[index].to] < 0) {
          levels[pipes[index].to] = levels[queue[at]] + 1;
          queue.push_back(pipes[index].to);
        }
    return levels[1] >= 0;
  }

  /// One path of descending levels from source to sink; without recursion, as chains are long.
  bool push() {
    SmallVector<unsigned> path;
    unsigned node = 0;
    while (node != 1) {
      if (next[node] < pipesOf[node].size()) {
        unsigned index = pipesOf[node][next[node]];
        if (pipes[index].capacity > 0 && levels[pipes[index].to] == levels[node] + 1) {
          path.push_back(index);
          node = pipes[index].to;
          continue;
        }
        ++next[node];
        continue;
      }
      if (path.empty())
        return false;
      node = pipes[path.pop_back_val() ^ 1].to;
      ++next[node];
    }
    int64_t flow = kUncut;
    for (unsigned index : path)
      flow = std::min(flow, pipes[index].capacity);
    for (unsigned index : path) {
      pipes[index].capacity -= flow;
      pipes[index ^ 1].capacity += flow;
    }
    return true;
  }

  SmallVector<SmallVector<unsigned, 4>> pipesOf{SmallVector<unsigned, 4>(),
                                                SmallVector<unsigned, 4>()};
  SmallVector<Pipe> pipes;
  SmallVector<int64_t> levels;
  SmallVector<size_t> next;
};

/// The sums of a block and its regions as a network: a pipe through each value as wide as its
/// bytes, and pipes that cannot be cut from value to value.
class SumsOf {
public:
  explicit SumsOf(const PlacedValues &placement) : placement(placement) {}

  /// What `op` itself gives, and what its regions take.
  void addValuesOf(Operation *op) {
    for (Value result : op->getResults()) {
      noteUnknown(op, result);
      add(result);
    }
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        add(argument);
  }

  llvm::DenseSet<Value> findCut() {
    for (Value value : values)
      connect(value);
    network.fill();
    llvm::DenseSet<Value> cut;
    for (Value value : values) {
      unsigned node = nodes.lookup(value);
      if (network.isReached(node) && !network.isReached(node + 1))
        cut.insert(value);
    }
    return cut;
  }

private:
  void add(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isCarried = argument && isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    if (isCarried || !placement.getLayout(value).isSum())
      return;
    values.push_back(value);
    nodes[value] = network.addNode();
    network.addPipe(nodes[value], network.addNode(), getCost(value));
  }

  /// What the open dimensions of `value` count as.
  int64_t getUnknown(Value value) const {
    auto found = unknown.find(value);
    return found == unknown.end() ? kUsualSize : found->second;
  }

  int64_t countElements(Value value) const {
    int64_t elements = 1;
    for (int64_t size : cast<RankedTensorType>(value.getType()).getShape())
      elements *= ShapedType::isDynamic(size) ? getUnknown(value) : size;
    return elements;
  }

  /// Estimates the open size of `result` from those of the operands: a reshape keeps the number of
  /// elements, other operations keep the number of rows.
  void noteUnknown(Operation *op, Value result) {
    auto isOpen = [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && llvm::count_if(type.getShape(), ShapedType::isDynamic) == 1;
    };
    if (!isOpen(result))
      return;
    static constexpr llvm::StringLiteral reshapes[] = {"Reshape", "Flatten", "Squeeze",
                                                       "Unsqueeze"};
    bool isReshape = llvm::is_contained(reshapes, op->getName().stripDialect());
    int64_t most = 0, known = 1;
    for (int64_t size : cast<RankedTensorType>(result.getType()).getShape())
      known *= ShapedType::isDynamic(size) ? 1 : size;
    for (Value operand : op->getOperands())
      if (isOpen(operand))
        most = std::max(most, isReshape && known > 0 ? countElements(operand) / known
                                                     : getUnknown(operand));
    if (most > 0 && most != kUsualSize)
      unknown[result] = most;
  }

  /// Narrow floats count as if they were 32 bits wide, and a bit: sums are taken in 32 bits where
  /// both are computed anyway.
  int64_t getCost(Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    Type element = type.getElementType();
    int64_t bits = 64;
    if (element.isIntOrFloat())
      bits = element.getIntOrFloatBitWidth();
    bool isNarrow = isa<FloatType>(element) && bits < 32;
    int64_t bytes = countElements(value) * (isNarrow ? 4 : (bits + 7) / 8);
    int64_t once = 2 * (bytes + kBytesOfCall) + isNarrow, times = countTimes(value);
    return once < kUncut / times ? once * times : kUncut;
  }

  /// How often a step computes `value`. What a loop adds up is summed after the loop only.
  static int64_t countTimes(Value value) {
    int64_t times = 1;
    for (OpOperand &use : value.getUses())
      if (getLoopResult(use))
        return kUncut;
    for (auto loop = value.getParentRegion()->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      times *= getTrips(loop);
    return times;
  }

  static int64_t getTrips(LoopLikeOpInterface loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    return trips ? std::clamp<int64_t>(trips->getZExtValue(), 1, kMostTrips) : kUsualTrips;
  }

  /// The result of a loop that is what `use` hands to the next iteration, after the last one.
  static Value getLoopResult(OpOperand &use) {
    Operation *end = use.getOwner(), *loop = end->getParentOp();
    bool isEnd = end->hasTrait<OpTrait::IsTerminator>() && isa<LoopLikeOpInterface>(loop);
    return isEnd ? loop->getResult(use.getOperandNumber()) : Value();
  }

  /// Whether `value` is made of other sums by an operation that can be done after the sum as well.
  bool isPassedOn(Value value) const {
    Operation *op = value.getDefiningOp();
    const Transfer *transfer = op ? placement.getTransfer(op) : nullptr;
    return transfer && !isKind(op, "while") && !isKind(op, "if") && !isKind(op, "case") &&
           llvm::any_of(transfer->operands, [](const Layout &layout) { return layout.isSum(); });
  }

  void connect(Value value) {
    unsigned node = nodes.lookup(value);
    if (!isPassedOn(value))
      network.addPipe(0, node, kUncut);
    for (OpOperand &use : value.getUses())
      connectUse(node + 1, use);
  }

  void connectUse(unsigned from, OpOperand &use) {
    Operation *user = use.getOwner();
    const Transfer *transfer = placement.getTransfer(user);
    bool staysSum = transfer && use.getOperandNumber() < transfer->operands.size() &&
                    transfer->operands[use.getOperandNumber()].isSum();
    if (!staysSum)
      return network.addPipe(from, 1, kUncut);
    if (Value result = getLoopResult(use); result && nodes.contains(result))
      return network.addPipe(from, nodes.lookup(result), kUncut);
    for (Value result : user->getResults())
      if (nodes.contains(result) && isPassedOn(result))
        network.addPipe(from, nodes.lookup(result), kUncut);
  }

  const PlacedValues &placement;
  Network network;
  SmallVector<Value> values;
  llvm::DenseMap<Value, int64_t> unknown; ///< of which open sizes count as something else
  llvm::DenseMap<Value, unsigned> nodes;  ///< before the pipe; the one after it is the next
};
} // namespace

llvm::DenseSet<Value> tutti::findCheapestSums(Block &block, const PlacedValues &placement) {
  SumsOf sums(placement);
  block.walk([&](Operation *op) { sums.addValuesOf(op); });
  return sums.findCut();
}

llvm::DenseSet<Value> tutti::findCheapestSums(ArrayRef<Operation *> placed,
                                              const PlacedValues &placement) {
  SumsOf sums(placement);
  for (Operation *op : placed)
    sums.addValuesOf(op);
  return sums.findCut();
}
