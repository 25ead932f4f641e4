// Reads operations otherwise where the first reading leads to a refusal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/PartsVerdict.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/diagnostics/QuietDiagnostics.h"

#include <queue>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

/// Operations that may be visited again for each of the program.
constexpr int64_t kMostRounds = 20;

/// One after the other, from one that stands in the step itself.
LogicalResult PartsVerdict::visitFrom(Operation *first) {
  for (Operation *op = first; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    if (failed(visit(op)))
      return failure();
  return verifyEnd();
}

/// The error is that of the first readings, if no others are right.
LogicalResult PartsVerdict::verifyStep() {
  Block &body = program.step.getBody().front();
  {
    diagnostics::QuietDiagnostics quiet(program.module.getContext());
    for (Operation *from = &body.front(); from; from = findOtherReading()) {
      refused = nullptr;
      if (succeeded(visitFrom(from)))
        return success();
    }
  }
  readings.clear();
  return visitFrom(&body.front());
}

/// What a value is made of: of one that a loop carries, what it begins with and what a turn makes.
static SmallVector<Value> sourcesOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  Operation *op = result ? result.getOwner() : value.getParentBlock()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (value == loop.getInductionVar())
      return {};
    OpResult carried = argument ? loop.getTiedLoopResult(argument) : result;
    unsigned place = carried.getResultNumber();
    return {loop.getInitArgs()[place], loop.getYieldedValues()[place]};
  }
  if (!result)
    return {};
  if (auto done = dyn_cast<CommunicationDoneOpInterface>(op))
    if (Value promised = findPromised(done, result.getResultNumber()))
      return {promised};
  if (getForm(op) && op->getNumOperands() == op->getNumResults())
    return {op->getOperand(result.getResultNumber())};
  return SmallVector<Value>(op->getOperands());
}

/// Elements of a sample, or of all where no size is open.
static int64_t countKnown(RankedTensorType type) {
  int64_t count = 1;
  for (int64_t size : type.getShape())
    count *= ShapedType::isDynamic(size) ? 1 : size;
  return count;
}

namespace {
struct IsEarlier {
  using Numbered = std::pair<unsigned, Value>;
  bool operator()(const Numbered &one, const Numbered &other) const {
    return one.first < other.first;
  }
};
} // namespace

/// Whether as many elements get another shape.
static bool isReshape(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return from && to && from.getShape() != to.getShape() && countKnown(from) == countKnown(to);
}

/// The latest reshape before `refused` that made one of `values`; null if there is none. Looks at
/// those alone that come after it, the latest first.
Operation *PartsVerdict::findLatestReshape(ArrayRef<Value> values) {
  llvm::DenseSet<Value> seen;
  std::priority_queue<IsEarlier::Numbered, std::vector<IsEarlier::Numbered>, IsEarlier> left;
  auto numberOf = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return numbers[op ? op : value.getParentBlock()->getParentOp()];
  };
  auto add = [&](ArrayRef<Value> sources) {
    for (Value source : sources)
      if (seen.insert(source).second)
        left.push({numberOf(source), source});
  };
  for (add(values); !left.empty();) {
    auto [number, value] = left.top();
    left.pop();
    Operation *op = value.getDefiningOp();
    if (op && isReshape(op) && number < numbers[refused])
      return op;
    add(sourcesOf(value));
  }
  return nullptr;
}

/// Has the latest of the operations read otherwise that made what was refused, and those after it
/// as at first. Gives the operation of the step from which to go on; null if all readings are
/// tried, or too many.
Operation *PartsVerdict::findOtherReading() {
  if (numbers.empty())
    program.step.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { numbers.try_emplace(op, numbers.size()); });
  if (!refused || visits > kMostRounds * int64_t(numbers.size()))
    return nullptr;
  SmallVector<Value> wanted = causes.lookup(refused); // which no reading of it made right
  llvm::append_range(wanted, refused->getOperands());
  Operation *latest = findLatestReshape(wanted);
  if (!latest)
    return nullptr;
  auto isLater = [&](Operation *op) { return numbers[op] > numbers[latest]; };
  for (auto &[op, passed] : readings)
    passed = isLater(op) ? 0 : passed;
  for (auto &[op, values] : causes)
    if (isLater(op))
      values.clear();
  ++readings[latest];
  llvm::append_range(causes[latest], wanted);
  return program.step.getBody().front().findAncestorOpInBlock(*latest);
}
