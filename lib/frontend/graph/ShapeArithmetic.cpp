// Arithmetic on sizes, some of which vary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/ShapeArithmetic.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace mlir;
using namespace tutti::frontend;

static constexpr int64_t varies = ShapedType::kDynamic;

static std::optional<int64_t> integerAttribute(const proto::NodeProto &node, StringRef name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name && attribute.has_i())
      return attribute.i();
  return std::nullopt;
}

/// Index as ONNX means it, clamped into [0, size].
static int64_t clampIndex(int64_t index, int64_t size) {
  return std::clamp<int64_t>(index < 0 ? index + size : index, 0, size);
}

static std::optional<Sizes> shapeOf(const proto::NodeProto &node, TensorScope &scope,
                                    Location location) {
  Value value =
      scope.isComputedSizes(node.input(0)) ? Value() : scope.lookup(node.input(0), location);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type)
    return std::nullopt;
  int64_t begin = clampIndex(integerAttribute(node, "start").value_or(0), type.getRank());
  int64_t end = clampIndex(integerAttribute(node, "end").value_or(type.getRank()), type.getRank());
  return Sizes{
      SmallVector<int64_t>(type.getShape().slice(begin, std::max<int64_t>(end - begin, 0)))};
}

static std::optional<Sizes> gather(ArrayRef<Sizes> operands) {
  if (operands.size() != 2 || operands[0].isScalar)
    return std::nullopt;
  const auto &data = operands[0].values;
  Sizes result{{}, operands[1].isScalar};
  for (int64_t index : operands[1].values) {
    int64_t position = index < 0 ? index + static_cast<int64_t>(data.size()) : index;
    if (index == varies || position < 0 || position >= static_cast<int64_t>(data.size()))
      return std::nullopt;
    result.values.push_back(data[position]);
  }
  return result;
}

static std::optional<Sizes> concat(ArrayRef<Sizes> operands) {
  Sizes result;
  for (const Sizes &operand : operands) {
    if (operand.isScalar)
      return std::nullopt;
    result.values.append(operand.values);
  }
  return result;
}

/// data, starts, ends, axes, steps; along the only axis there is.
static std::optional<Sizes> slice(ArrayRef<Sizes> operands) {
  auto single = [&](size_t index, int64_t otherwise) {
    return index < operands.size() ? operands[index].values.front() : otherwise;
  };
  if (operands.size() < 3 || operands[0].isScalar ||
      llvm::any_of(operands.drop_front(),
                   [](const Sizes &sizes) { return sizes.values.size() != 1; }))
    return std::nullopt;
  int64_t size = operands[0].values.size();
  if (single(1, 0) == varies || single(2, 0) == varies || single(4, 1) != 1)
    return std::nullopt;
  int64_t begin = clampIndex(single(1, 0), size), end = clampIndex(single(2, 0), size);
  return Sizes{SmallVector<int64_t>(
      ArrayRef<int64_t>(operands[0].values).slice(begin, std::max<int64_t>(end - begin, 0)))};
}

static std::optional<int64_t> computeOne(StringRef op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (a == varies || b == varies)
    return varies;
  bool overflows = llvm::StringSwitch<std::function<bool()>>(op)
                       .Case("Add", [&] { return llvm::AddOverflow(a, b, result); })
                       .Case("Sub", [&] { return llvm::SubOverflow(a, b, result); })
                       .Case("Mul", [&] { return llvm::MulOverflow(a, b, result); })
                       .Default([&] {
                         if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min()))
                           return true;
                         result = a / b;
                         return false;
                       })();
  return overflows ? std::nullopt : std::optional(result);
}

static std::optional<Sizes> compute(StringRef op, ArrayRef<Sizes> operands) {
  if (operands.size() != 2)
    return std::nullopt;
  const auto &a = operands[0].values, &b = operands[1].values;
  if (a.empty() || b.empty() || (a.size() != b.size() && a.size() != 1 && b.size() != 1))
    return std::nullopt;
  Sizes result{{}, operands[0].isScalar && operands[1].isScalar};
  for (size_t index = 0; index < std::max(a.size(), b.size()); ++index) {
    std::optional<int64_t> value =
        computeOne(op, a[a.size() == 1 ? 0 : index], b[b.size() == 1 ? 0 : index]);
    if (!value)
      return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

static std::optional<Sizes> reshaped(ArrayRef<Sizes> operands, bool toScalar) {
  if (operands.empty() || operands[0].values.size() != 1 || operands[0].isScalar == toScalar)
    return std::nullopt;
  return Sizes{operands[0].values, toScalar};
}

/// Asked first, so that the operands of other operators are not looked up.
static bool canComputeSizes(StringRef op) {
  static constexpr StringLiteral ops[] = {"Gather",    "Concat",   "Slice", "Squeeze",
                                          "Unsqueeze", "Identity", "Cast",  "Add",
                                          "Sub",       "Mul",      "Div"};
  return llvm::is_contained(ops, op);
}

static std::optional<Sizes> evaluate(const proto::NodeProto &node, ArrayRef<Sizes> operands) {
  StringRef op = node.op_type();
  if (op == "Gather" && integerAttribute(node, "axis").value_or(0) == 0)
    return gather(operands);
  if (op == "Concat")
    return concat(operands);
  if (op == "Slice")
    return slice(operands);
  if (op == "Squeeze" || op == "Unsqueeze")
    return reshaped(operands, op == "Squeeze");
  if (op == "Identity" ||
      (op == "Cast" && integerAttribute(node, "to") == proto::TensorProto::INT64))
    return operands.front();
  if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div")
    return compute(op, operands);
  return std::nullopt;
}

std::optional<Sizes> tutti::frontend::evaluateSizes(const proto::NodeProto &node,
                                                    TensorScope &scope, Location location) {
  if (!canonicalDomain(node.domain()).empty() || node.output_size() != 1 || node.input_size() == 0)
    return std::nullopt;
  if (node.op_type() == "Shape")
    return shapeOf(node, scope, location);
  if (!canComputeSizes(node.op_type()))
    return std::nullopt;
  SmallVector<Sizes> operands;
  for (const std::string &input : node.input()) {
    std::optional<Sizes> known = input.empty() ? std::nullopt : scope.lookupSizes(input, location);
    if (!known)
      return std::nullopt;
    operands.push_back(std::move(*known));
  }
  return evaluate(node, operands);
}
