// Moves updates of variables up to their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/bufferization/Destinations.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tutti::bufferization;
using mlir::bufferization::MaterializeInDestinationOp;
using mlir::bufferization::ToTensorOp;

namespace {

/// Of so many elements is a scalar at most, or the few numbers that an optimizer makes of one.
constexpr int64_t kScalarElements = 16;

bool isScalar(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return !type || (type.hasStaticShape() && type.getNumElements() <= kScalarElements);
}

/// What `op` and all within it take from outside.
SmallVector<Value> operandsOf(Operation *op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> operands(op->getOperands());
  llvm::append_range(operands, captured);
  return operands;
}

/// What `op` writes over: the roots of its destinations.
SmallVector<Value> overwrittenBy(Operation *op) {
  SmallVector<Value> found;
  if (auto writer = dyn_cast<DestinationStyleOpInterface>(op))
    for (Value init : writer.getDpsInits())
      found.push_back(viewedBy(init));
  return found;
}

/// A body. Its operations have the numbers of their order before any move.
class UpdateOrder {
public:
  UpdateOrder(Block &block, ValueRange variables)
      : block(block), updated(variables.begin(), variables.end()) {
    for (Operation &op : block)
      nodes.push_back({&op});
    for (auto [number, node] : llvm::enumerate(nodes))
      numbers[node.op] = number;
    findSources();
    findMoving();
    findPlaces();
    bringHelpers();
  }

  void rewrite();

private:
  struct Node {
    Operation *op;
    bool isUpdate = false;    ///< writes over a variable, or over what an update gave
    bool isOfUpdates = false; ///< is an update, or uses the result of one
    bool isOfNothing = false; ///< made of constants alone
    bool moves = false;
    /// 0: at the start; else it stands after node `place` - 1, which stays, and may be itself.
    unsigned place = 0;
  };

  SmallVector<unsigned> operandNodes(Operation *op) const;
  SmallVector<unsigned> userNodes(ValueRange values) const;
  const std::vector<unsigned> &readersOf(Value root);
  void addReaders(Value value, std::vector<unsigned> &readers);
  bool overwritesWhatIsReadLater(unsigned number);
  bool onlyUpdatesUse(ValueRange values) const;
  void markUpdate(Node &node);
  void findSources();
  void findMoving();
  void findPlaces();
  void bringHelpers();

  Block &block;
  llvm::DenseSet<Value> updated; ///< variables, and what updates leave in their place
  std::vector<Node> nodes;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Value, std::vector<unsigned>> readers; ///< as readersOf gives them
};

SmallVector<unsigned> UpdateOrder::operandNodes(Operation *op) const {
  SmallVector<unsigned> found;
  for (Value operand : operandsOf(op))
    if (auto place = numbers.find(operand.getDefiningOp()); place != numbers.end())
      found.push_back(place->second);
  return found;
}

SmallVector<unsigned> UpdateOrder::userNodes(ValueRange values) const {
  SmallVector<unsigned> found;
  for (Value value : values)
    for (Operation *user : value.getUsers())
      if (Operation *inBlock = block.findAncestorOpInBlock(*user))
        found.push_back(numbers.at(inBlock));
  return found;
}

/// Those that read `root` or a view of it, what writes over it among them; not what only copies
/// over it.
const std::vector<unsigned> &UpdateOrder::readersOf(Value root) {
  auto [known, isNew] = readers.try_emplace(root);
  if (isNew) {
    std::vector<unsigned> found;
    addReaders(root, found);
    known->second = std::move(found);
  }
  return known->second;
}

void UpdateOrder::addReaders(Value value, std::vector<unsigned> &found) {
  for (unsigned user : userNodes(value)) {
    Operation *op = nodes[user].op;
    if (auto copy = dyn_cast<MaterializeInDestinationOp>(op); copy && copy.getSource() != value)
      continue;
    found.push_back(user);
    if (isView(op))
      addReaders(op->getResult(0), found);
  }
}

void UpdateOrder::markUpdate(Node &node) {
  auto writer = dyn_cast<DestinationStyleOpInterface>(node.op);
  if (!writer)
    return;
  for (OpResult result : node.op->getResults())
    if (updated.contains(viewedBy(writer.getTiedOpOperand(result)->get()))) {
      node.isUpdate = true;
      updated.insert(result);
    }
}

void UpdateOrder::findSources() {
  for (Node &node : nodes) {
    markUpdate(node);
    SmallVector<Value> operands = operandsOf(node.op);
    SmallVector<unsigned> makers = operandNodes(node.op);
    node.isOfUpdates =
        node.isUpdate || llvm::any_of(makers, [&](unsigned of) { return nodes[of].isOfUpdates; });
    node.isOfNothing = makers.size() == operands.size() &&
                       llvm::all_of(makers, [&](unsigned of) { return nodes[of].isOfNothing; });
  }
}

bool UpdateOrder::overwritesWhatIsReadLater(unsigned number) {
  return llvm::any_of(overwrittenBy(nodes[number].op), [&](Value root) {
    return llvm::any_of(readersOf(root), [&](unsigned reader) { return reader > number; });
  });
}

bool UpdateOrder::onlyUpdatesUse(ValueRange values) const {
  return llvm::all_of(userNodes(values), [&](unsigned user) { return nodes[user].moves; });
}

/// A result that is no new value of a variable lives longer if its operation moves up. So only
/// operations that move as well may use it.
void UpdateOrder::findMoving() {
  for (unsigned number = nodes.size(); number-- > 0;) {
    Node &node = nodes[number];
    if (node.op->getNumResults() == 0 || isa<ToTensorOp, MaterializeInDestinationOp>(node.op) ||
        !isMemoryEffectFree(node.op) || overwritesWhatIsReadLater(number))
      continue;
    bool mayMove = node.isOfUpdates || node.isOfNothing || isView(node.op) ||
                   llvm::all_of(node.op->getResults(), isScalar);
    bool isNeeded = node.isUpdate || !node.op->use_empty();
    node.moves = mayMove && isNeeded && llvm::all_of(node.op->getResults(), [&](Value result) {
                   return updated.contains(result) || onlyUpdatesUse(result);
                 });
  }
}

/// Where each operation can stand at the earliest: after its operands, and after all reads of the
/// memory that it overwrites.
void UpdateOrder::findPlaces() {
  for (auto [number, node] : llvm::enumerate(nodes)) {
    node.place = node.moves ? 0 : number + 1;
    if (!node.moves)
      continue;
    for (unsigned operand : operandNodes(node.op))
      node.place = std::max(node.place, nodes[operand].place);
    for (Value root : overwrittenBy(node.op))
      for (unsigned reader : readersOf(root))
        if (reader < number)
          node.place = std::max(node.place, nodes[reader].place);
  }
}

/// What is no update itself stands where it is needed first, but before what writes over its
/// operands.
void UpdateOrder::bringHelpers() {
  llvm::DenseMap<Value, unsigned> writers; ///< where each value is written over first
  for (Node &node : llvm::reverse(nodes)) {
    if (node.moves && !node.isUpdate) {
      unsigned latest = nodes.size() + 1;
      for (unsigned user : userNodes(node.op->getResults()))
        latest = std::min(latest, nodes[user].place);
      for (Value operand : operandsOf(node.op))
        if (auto writer = writers.find(viewedBy(operand)); writer != writers.end())
          latest = std::min(latest, writer->second);
      node.place = std::max(node.place, latest);
    }
    for (Value root : overwrittenBy(node.op))
      writers[root] = node.place;
  }
}

/// Program order among those of one place, so nothing stands before what it needs.
void UpdateOrder::rewrite() {
  std::vector<std::vector<Operation *>> followers(nodes.size() + 1);
  for (const Node &node : nodes)
    if (node.moves)
      followers[node.place].push_back(node.op);
  for (Operation *op : llvm::reverse(followers.front()))
    if (op != &block.front())
      op->moveBefore(&block.front());
  for (auto [number, node] : llvm::enumerate(nodes)) {
    Operation *last = node.op;
    for (Operation *op : followers[number + 1]) {
      op->moveAfter(last);
      last = op;
    }
  }
}

} // namespace

void tutti::bufferization::placeUpdatesEarly(Block &block, ValueRange variables) {
  UpdateOrder(block, variables).rewrite();
}
