// train-global-divisors: who divides by what he counted divides by the count of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/Passes.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
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
  /// Where `number` stops to be made of single numbers: what reduces the samples of a part. Gives
  /// None where something else does, or where they are reduced in several ways.
  Measure findMeasured(Value number, SetVector<Value> &measured);
  Measure measureOf(Value number) {
    SetVector<Value> measured;
    return findMeasured(number, measured);
  }
  /// Of the quotient, or of what is added up behind it.
  bool isOfCounts(onnx::DivOp op);
  void divideByTotals(Value divisor);
  Value cloneOnto(IRMapping &totals, Value number, OpBuilder &builder);

  Block &block;
  llvm::DenseSet<Value> ofBatch, ofTrained;
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

Measure Quotients::findMeasured(Value number, SetVector<Value> &measured) {
  Operation *op = number.getDefiningOp();
  if (!op || op->getNumOperands() == 0 || isa<train::BatchTotalOp>(op)) // is counted already
    return Measure::None;
  bool isOfNumbers = llvm::all_of(op->getOperands(), [&](Value value) {
    return !ofBatch.contains(value) || hasOneElement(value);
  });
  if (!isOfNumbers) {
    measured.insert(number);
    return measureBy(op);
  }
  std::optional<Measure> found;
  for (Value operand : op->getOperands()) {
    if (!ofBatch.contains(operand))
      continue;
    Measure measure = findMeasured(operand, measured);
    if (found && *found != measure)
      return Measure::None;
    found = measure;
  }
  return found.value_or(Measure::None);
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

Value Quotients::cloneOnto(IRMapping &totals, Value number, OpBuilder &builder) {
  if (Value known = totals.lookupOrNull(number))
    return known;
  if (!ofBatch.contains(number))
    return number;
  Operation *op = number.getDefiningOp();
  for (Value operand : op->getOperands())
    totals.map(operand, cloneOnto(totals, operand, builder));
  builder.clone(*op, totals);
  return totals.lookup(number);
}

void Quotients::divideByTotals(Value divisor) {
  SetVector<Value> measured;
  bool isSum = findMeasured(divisor, measured) == Measure::Sum;
  OpBuilder builder(divisor.getContext());
  builder.setInsertionPointAfterValue(divisor);
  Location loc = divisor.getLoc();
  IRMapping totals;
  for (Value number : measured) {
    Value part = isSum ? number : Value(train::BatchShareOp::create(builder, loc, number));
    totals.map(number, train::BatchTotalOp::create(builder, loc, part));
  }
  Value total = cloneOnto(totals, divisor, builder);
  if (isSum)
    total = train::BatchShareOp::create(builder, loc, total);
  divisor.replaceUsesWithIf(total, [](OpOperand &use) {
    return isa<onnx::DivOp>(use.getOwner()) && use.getOperandNumber() == 1;
  });
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
