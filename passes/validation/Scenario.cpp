// Draws the numbers that programs are compared on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/Scenario.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/ps/Ps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::validation;

static int64_t sizeOf(Value value, int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  axis += axis < 0 ? type.getRank() : 0;
  bool isKnown = axis < type.getRank() && !type.isDynamicDim(axis);
  return isKnown ? type.getDimSize(axis) : ShapedType::kDynamic;
}

/// What `use` says of the integers that it takes.
static void narrow(OpOperand &use, IntegerRange &range) {
  Operation *op = use.getOwner();
  auto limit = [&](int64_t size) {
    if (!ShapedType::isDynamic(size))
      range.size = std::max<int64_t>(1, std::min(range.size, size));
  };
  if (auto gather = dyn_cast<onnx::GatherOp>(op); gather && use.getOperandNumber() == 1)
    limit(sizeOf(gather.getData(), gather.getAxis()));
  if (auto gather = dyn_cast<onnx::GatherElementsOp>(op); gather && use.getOperandNumber() == 1)
    limit(sizeOf(gather.getData(), gather.getAxis()));
  if (auto scatter = dyn_cast<onnx::ScatterElementsOp>(op); scatter && use.getOperandNumber() == 1)
    limit(sizeOf(scatter.getData(), scatter.getAxis()));
  if (auto pull = dyn_cast<ps::PullRowsOp>(op))
    if (auto table = SymbolTable::lookupNearestSymbolFrom<ps::TableOp>(op, pull.getTableAttr()))
      limit(table.getNumRows());
  if (auto loss = dyn_cast<onnx::SoftmaxCrossEntropyLossOp>(op)) {
    limit(sizeOf(loss.getScores(), 1));
    if (loss.getIgnoreIndex())
      range.ignored = *loss.getIgnoreIndex();
  }
}

/// Of an input, through whatever else is made of its integers.
static IntegerRange rangeOf(BlockArgument input) {
  IntegerRange range;
  llvm::SetVector<Value> values;
  values.insert(input);
  for (size_t next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses()) {
      narrow(use, range);
      for (Value result : use.getOwner()->getResults())
        if (getElementTypeOrSelf(result.getType()).isInteger() &&
            !getElementTypeOrSelf(result.getType()).isInteger(1))
          values.insert(result);
    }
  return range;
}

Scenario::Scenario(ModuleOp program, uint64_t seed) : seed(seed) {
  auto step = program.lookupSymbol<func::FuncOp>("step");
  for (BlockArgument argument : step.getArguments())
    if (auto input = step.getArgAttrOfType<train::InputAttr>(argument.getArgNumber(),
                                                             train::TrainDialect::kInput))
      ranges[input.getName()] = rangeOf(argument);
}

static uint64_t keyOf(StringRef name, uint64_t seed) { return llvm::xxh3_64bits(name) ^ seed; }

uint64_t Scenario::seedOf(int64_t step) const { return field::hash(seed, step, 1); }

TensorRef Scenario::drawFloats(StringRef name, ArrayRef<int64_t> shape) const {
  Tensor drawn(shape);
  for (int64_t i = 0; i < drawn.size(); ++i)
    drawn.elements[i] = field::hash(keyOf(name, seed), i);
  if (shape.empty()) // a rate, a scale: positive, within any bounds, and so is the half of it
    drawn.elements[0] = uint64_t(16) << drawn.elements[0] % 16;
  return makeTensor(std::move(drawn));
}

TensorRef Scenario::drawInput(StringRef name, RankedTensorType type, int64_t step,
                              bool isSpoilt) const {
  Tensor drawn(type.getShape());
  IntegerRange range = ranges.lookup(name);
  bool isFloat = isa<FloatType>(type.getElementType()), isBool = type.getElementType().isInteger(1);
  for (int64_t i = 0; i < drawn.size(); ++i) {
    uint64_t random = field::hash(keyOf(name, seed), i, step + 1);
    if (!isFloat && range.ignored && random % 4 == 0)
      drawn.elements[i] = *range.ignored;
    else
      drawn.elements[i] = isFloat ? random : isBool ? random >> 8 & 1 : (random >> 8) % range.size;
  }
  if (isFloat && isSpoilt && drawn.size() > 0)
    drawn.elements.back() = field::kNone;
  return makeTensor(std::move(drawn));
}

TensorRef tutti::validation::findInitial(func::FuncOp initialize, unsigned index) {
  Value value = initialize.getBody().front().getTerminator()->getOperand(index);
  while (auto bucket = value.getDefiningOp<BucketOpInterface>()) {
    if (bucket.getOutputs().size() != bucket.getInputs().size())
      return nullptr;
    unsigned number = cast<OpResult>(value).getResultNumber();
    value = bucket.getInputs()[number];
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 0)
    return nullptr;
  for (NamedAttribute attribute : op->getAttrs())
    if (auto elements = dyn_cast<ElementsAttr>(attribute.getValue());
        elements && attribute.getName() == "value")
      return tensorOf(elements);
  return nullptr;
}
