// train-global-divisors: who divides by what he counted divides by the count of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Passes.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
#include "lib/program/PostOrder.h"
#include "lib/program/Program.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

namespace tutti::gradient {
#define GEN_PASS_DEF_GLOBALDIVISORSPASS
#include "passes/gradient/Passes.h.inc"
} // namespace tutti::gradient

using namespace mlir;
using namespace tutti;

//===----------------------------------------------------------------------===//
// Losses that divide by the sum of their weights
//===----------------------------------------------------------------------===//

static Value constantOf(OpBuilder &builder, Location loc, Attribute number) {
  auto type = RankedTensorType::get({}, cast<TypedAttr>(number).getType());
  return onnx::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
}

/// Builds the sum of the weights of all labels that are not ignored.
static Value sumOfWeights(OpBuilder &builder, Location loc, Value labels, Value weights,
                          IntegerAttr ignored, Type type) {
  Type labelType = getElementTypeOrSelf(labels);
  Value isIgnored, each;
  if (ignored) {
    auto number = builder.getIntegerAttr(labelType, ignored.getInt());
    isIgnored =
        onnx::EqualOp::create(builder, loc, ValueRange{labels, constantOf(builder, loc, number)});
  }
  if (weights) {
    Value zero = constantOf(builder, loc, builder.getIntegerAttr(labelType, 0));
    Value known =
        isIgnored ? Value(onnx::WhereOp::create(builder, loc, ValueRange{isIgnored, zero, labels}))
                  : labels;
    each = onnx::GatherOp::create(builder, loc, weights, known, /*axis=*/0);
    Value nothing = constantOf(builder, loc, builder.getFloatAttr(type, 0));
    if (isIgnored)
      each = onnx::WhereOp::create(builder, loc, ValueRange{isIgnored, nothing, each});
  } else {
    Value isCounted = onnx::NotOp::create(builder, loc, ValueRange{isIgnored});
    each = onnx::CastOp::create(builder, loc, isCounted, type);
  }
  return onnx::ReduceSumOp::create(builder, loc, each, nullptr, /*keepdims=*/0,
                                   /*noop_with_empty_axes=*/0);
}

/// What all parts of the batch divide by: the same, whatever part counts how much.
static Value divisorOf(OpBuilder &builder, Location loc, Value count) {
  Value total = train::BatchTotalOp::create(builder, loc, count);
  return train::BatchShareOp::create(builder, loc, total);
}

/// Whether a loss, or its gradient, divides by a sum of weights that differs between parts.
template <typename Op> static bool dividesByWeights(Op op) {
  return op.getReduction() == "mean" && (op.getWeights() || op.getIgnoreIndex());
}

static void divideSum(onnx::SoftmaxCrossEntropyLossOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value count = sumOfWeights(builder, loc, op.getLabels(), op.getWeights(), op.getIgnoreIndexAttr(),
                             getElementTypeOrSelf(op.getOutput()));
  Value divisor = divisorOf(builder, loc, count);
  op.setReduction("sum");
  builder.setInsertionPointAfter(op);
  Operation *quotient = onnx::DivOp::create(builder, loc, ValueRange{op.getOutput(), divisor});
  op.getOutput().replaceAllUsesExcept(quotient->getResult(0), quotient);
}

static void divideSum(onnx::SoftmaxCrossEntropyLossGradOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value count = sumOfWeights(builder, loc, op.getLabel(), op.getWeights(), op.getIgnoreIndexAttr(),
                             getElementTypeOrSelf(op.getDY()));
  Value divisor = divisorOf(builder, loc, count);
  op.setReduction("sum");
  op.getDYMutable().assign(onnx::DivOp::create(builder, loc, ValueRange{op.getDY(), divisor}));
}

//===----------------------------------------------------------------------===//
// Quotients that the model writes out
//===----------------------------------------------------------------------===//

static bool hasOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

namespace {

/// How a number is made of all samples of a part.
enum class Measure { None, Sum, Mean };

/// The quotients of one step whose divisor is made of the batch alone.
class Quotients {
public:
  explicit Quotients(func::FuncOp step) : block(step.getBody().front()) {
    SmallVector<Value> inputs, trained;
    for (BlockArgument argument : block.getArguments()) {
      if (step.getArgAttr(argument.getArgNumber(), train::TrainDialect::kInput))
        inputs.push_back(argument);
      train::VariableAttr held = program::findHeldVariable(argument);
      if (held && held.getVariableClass() != train::VariableClass::Other)
        trained.push_back(argument);
    }
    ofBatch = program::findDependents(block, inputs);
    ofTrained = program::findDependents(block, trained);
  }

  void rewrite() {
    SmallVector<onnx::DivOp> quotients;
    for (auto op : block.getOps<onnx::DivOp>())
      quotients.push_back(op);
    for (onnx::DivOp op : quotients)
      if (isOfCounts(op))
        divideByTotals(op.getOperand(1));
  }

private:
  /// None where something else than numbers reduces the samples of a part, or where they are
  /// reduced in several ways.
  Measure measureOf(Value number);
  Measure findMeasure(Value number) const;
  bool isOfNumbers(Operation *op) const;
  SmallVector<Value> numbersBefore(Value number) const;
  /// Of the quotient, or of what is added up behind it.
  bool isOfCounts(onnx::DivOp op);
  void divideByTotals(Value divisor);

  Block &block;
  llvm::DenseSet<Value> ofBatch, ofTrained;
  llvm::DenseSet<Value> visited; ///< the values of `measures`
  llvm::DenseMap<Value, Measure> measures;
};

} // namespace

static bool hasSamples(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && !type.hasStaticShape();
}

/// How the operation reduces the samples of a part to one number.
static Measure measureBy(Operation *op) {
  if (auto loss = dyn_cast<onnx::SoftmaxCrossEntropyLossOp>(op))
    return loss.getReduction() == "sum"    ? Measure::Sum
           : loss.getReduction() == "mean" ? Measure::Mean
                                           : Measure::None;
  if (!hasSamples(op->getOperand(0)))
    return Measure::None;
  return isa<onnx::ReduceSumOp>(op)    ? Measure::Sum
         : isa<onnx::ReduceMeanOp>(op) ? Measure::Mean
                                       : Measure::None;
}

/// Whether what the operation takes of the batch are single numbers.
bool Quotients::isOfNumbers(Operation *op) const {
  return llvm::all_of(op->getOperands(), [&](Value value) {
    return !ofBatch.contains(value) || hasOneElement(value);
  });
}

/// The numbers of the batch that `number` is computed from; none of what reduces samples, and of
/// what is counted already.
SmallVector<Value> Quotients::numbersBefore(Value number) const {
  Operation *op = number.getDefiningOp();
  if (!op || isa<train::BatchTotalOp>(op) || !isOfNumbers(op))
    return {};
  return llvm::filter_to_vector(op->getOperands(),
                                [&](Value operand) { return ofBatch.contains(operand); });
}

/// Where those of the numbers before it are known.
Measure Quotients::findMeasure(Value number) const {
  Operation *op = number.getDefiningOp();
  if (!op || op->getNumOperands() == 0 || isa<train::BatchTotalOp>(op))
    return Measure::None;
  if (!isOfNumbers(op))
    return measureBy(op);
  SmallVector<Value> before = numbersBefore(number);
  auto measureOfBefore = [&](Value operand) { return measures.lookup(operand); };
  bool isAlike = !before.empty() && llvm::all_equal(llvm::map_range(before, measureOfBefore));
  return isAlike ? measures.lookup(before.front()) : Measure::None;
}

Measure Quotients::measureOf(Value number) {
  auto before = [&](Value value) { return numbersBefore(value); };
  for (Value value : program::findPostOrder(number, visited, before))
    measures[value] = findMeasure(value);
  return measures.lookup(number);
}

bool Quotients::isOfCounts(onnx::DivOp op) {
  Value dividend = op.getOperand(0), divisor = op.getOperand(1);
  if (!hasOneElement(divisor) || !ofBatch.contains(divisor) || ofTrained.contains(divisor) ||
      !ofBatch.contains(dividend))
    return false;
  Measure measure = measureOf(divisor);
  if (measure == Measure::None)
    return false;
  if (hasOneElement(dividend))
    return measureOf(dividend) == measure;
  // Each sample's is divided first, and then all are added up.
  return measure == Measure::Sum && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<onnx::ReduceSumOp>(user) && measureBy(user) == Measure::Sum;
         });
}

/// Computes the divisor once more, of totals where it is made of what parts of the batch give.
void Quotients::divideByTotals(Value divisor) {
  bool isSum = measureOf(divisor) == Measure::Sum;
  OpBuilder builder(divisor.getContext());
  builder.setInsertionPointAfterValue(divisor);
  Location loc = divisor.getLoc();
  llvm::DenseSet<Value> known;
  auto numbers = program::findPostOrder(divisor, known, [&](Value v) { return numbersBefore(v); });
  IRMapping totals;
  for (Value number : numbers) {
    if (isOfNumbers(number.getDefiningOp()))
      continue;
    Value part = isSum ? number : Value(train::BatchShareOp::create(builder, loc, number));
    totals.map(number, train::BatchTotalOp::create(builder, loc, part));
  }
  for (Value number : numbers)
    if (!totals.contains(number))
      builder.clone(*number.getDefiningOp(), totals);
  Value total = totals.lookup(divisor);
  if (isSum)
    total = train::BatchShareOp::create(builder, loc, total);
  divisor.replaceUsesWithIf(total, [](OpOperand &use) {
    return isa<onnx::DivOp>(use.getOwner()) && use.getOperandNumber() == 1;
  });
  visited.clear(); // what is divided by it is of fewer numbers now
  measures.clear();
}

namespace {
struct GlobalDivisors : gradient::impl::GlobalDivisorsPassBase<GlobalDivisors> {
  void runOnOperation() override {
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if (!step || step.isExternal())
      return markAllAnalysesPreserved();
    step.walk([](onnx::SoftmaxCrossEntropyLossOp op) {
      if (dividesByWeights(op))
        divideSum(op);
    });
    step.walk([](onnx::SoftmaxCrossEntropyLossGradOp op) {
      if (dividesByWeights(op))
        divideSum(op);
    });
    Quotients(step).rewrite();
  }
};
} // namespace
