// Evaluates short vectors of floats that depend on constants alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/model/values/KnownFloats.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using Floats = std::optional<llvm::SmallVector<double>>;

namespace {

/// A vector of scales has an entry for each dimension.
constexpr int64_t mostElements = 64;

class Evaluation {
public:
  const Floats &of(Value value) {
    auto [found, isNew] = known.try_emplace(value);
    if (!isNew)
      return *found->second;
    auto made = std::make_unique<Floats>();
    Floats *result = made.get(); // the map may move while operands are evaluated
    found->second = std::move(made);
    *result = evaluate(value);
    return *result;
  }

private:
  Floats evaluate(Value value);
  Floats join(Operation *op);
  Floats calculate(Operation *op);

  llvm::DenseMap<Value, std::unique_ptr<Floats>> known;
};

/// Of an operator with one operand, `b` is not used.
std::optional<double> calculateOne(StringRef op, double a, double b) {
  return llvm::StringSwitch<std::optional<double>>(op)
      .Case("onnx.Add", a + b)
      .Case("onnx.Sub", a - b)
      .Case("onnx.Mul", a * b)
      .Case("onnx.Div", a / b)
      .Case("onnx.Neg", -a)
      .Case("onnx.Floor", std::floor(a))
      .Case("onnx.Ceil", std::ceil(a))
      .Case("onnx.Round", std::nearbyint(a))
      .Case("onnx.Sqrt", std::sqrt(a))
      .Case("onnx.Cast", a)
      .Default(std::nullopt);
}

double roundTo(Type element, double value) {
  return element.isF32() ? double(float(value)) : value;
}

Floats readConstant(Attribute content, Type element) {
  auto elements = dyn_cast<DenseElementsAttr>(content);
  if (!elements)
    return std::nullopt;
  llvm::SmallVector<double> values;
  if (auto integer = dyn_cast<IntegerType>(element)) {
    for (const APInt &value : elements.getValues<APInt>())
      values.push_back(integer.isUnsigned() || integer.isInteger(1) ? double(value.getZExtValue())
                                                                    : double(value.getSExtValue()));
    return values;
  }
  for (const APFloat &value : elements.getValues<APFloat>())
    values.push_back(value.convertToDouble());
  return values;
}

Floats Evaluation::join(Operation *op) {
  llvm::SmallVector<double> values;
  for (Value operand : op->getOperands()) {
    const Floats &part = of(operand);
    if (!part)
      return std::nullopt;
    values.append(part->begin(), part->end());
  }
  return values;
}

Floats Evaluation::calculate(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumOperands() > 2)
    return std::nullopt;
  const Floats &first = of(op->getOperand(0)), &second = of(op->getOperands().back());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t count = type.getNumElements();
  auto fits = [&](const Floats &operand) {
    return operand && (operand->size() == 1 || int64_t(operand->size()) == count);
  };
  if (!fits(first) || !fits(second))
    return std::nullopt;
  llvm::SmallVector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    auto at = [&](const Floats &operand) { return (*operand)[operand->size() == 1 ? 0 : i]; };
    std::optional<double> value = calculateOne(op->getName().getStringRef(), at(first), at(second));
    if (!value)
      return std::nullopt;
    values.push_back(roundTo(type.getElementType(), *value));
  }
  return values;
}

Floats Evaluation::evaluate(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() || type.getRank() > 1 ||
      type.getNumElements() > mostElements)
    return std::nullopt;
  Attribute content;
  if (matchPattern(op, m_Constant(&content)))
    return readConstant(content, type.getElementType());
  if (op->getNumResults() != 1 || !(type.getElementType().isF32() || type.getElementType().isF64()))
    return std::nullopt;
  StringRef name = op->getName().getStringRef();
  if (name == "onnx.Concat")
    return join(op);
  bool keepsElements = name == "onnx.Unsqueeze" || name == "onnx.Squeeze" ||
                       name == "onnx.Identity" || name == "onnx.Reshape" || name == "onnx.Flatten";
  return keepsElements ? of(op->getOperand(0)) : calculate(op);
}

} // namespace

Floats tutti::frontend::knownFloats(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType()) ? Evaluation().of(value) : std::nullopt;
}
