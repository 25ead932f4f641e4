// Arithmetic on sizes, some of which vary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/ShapeArithmetic.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
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
  Sizes sizes;
  for (int64_t axis = begin; axis < end; ++axis) {
    sizes.values.push_back(type.getDimSize(axis));
    sizes.origins.push_back({value, axis});
  }
  return sizes;
}

static std::optional<Sizes> gather(ArrayRef<Sizes> operands) {
  if (operands.size() != 2 || operands[0].isScalar)
    return std::nullopt;
  const auto &data = operands[0].values;
  Sizes result;
  result.isScalar = operands[1].isScalar;
  for (int64_t index : operands[1].values) {
    int64_t position = index < 0 ? index + static_cast<int64_t>(data.size()) : index;
    if (index == varies || position < 0 || position >= static_cast<int64_t>(data.size()))
      return std::nullopt;
    result.append(operands[0], position);
  }
  return result;
}

static std::optional<Sizes> concat(ArrayRef<Sizes> operands) {
  Sizes result;
  for (const Sizes &operand : operands) {
    if (operand.isScalar)
      return std::nullopt;
    for (size_t i = 0; i < operand.values.size(); ++i)
      result.append(operand, i);
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
  Sizes result;
  for (int64_t i = begin; i < end; ++i)
    result.append(operands[0], i);
  return result;
}

/// `a op b` where both are known; none if it overflows.
static std::optional<int64_t> computeKnown(StringRef op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool isDivision = op == "Div" || op == "Mod";
  if (isDivision && (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())))
    return std::nullopt;
  bool overflows = llvm::StringSwitch<std::function<bool()>>(op)
                       .Case("Add", [&] { return llvm::AddOverflow(a, b, result); })
                       .Case("Sub", [&] { return llvm::SubOverflow(a, b, result); })
                       .Case("Mul", [&] { return llvm::MulOverflow(a, b, result); })
                       .Default([&] { return false; })();
  if (overflows)
    return std::nullopt;
  return llvm::StringSwitch<int64_t>(op)
      .Case("Div", isDivision ? a / b : 0)
      .Case("Mod", isDivision ? ((a % b) + b) % b : 0)
      .Case("Min", std::min(a, b))
      .Case("Max", std::max(a, b))
      .Case("Equal", a == b)
      .Case("Less", a < b)
      .Case("Greater", a > b)
      .Default(result);
}

static bool isRelation(StringRef op) { return op == "Equal" || op == "Less" || op == "Greater"; }

/// A size is not negative: that much is known of one that varies. `Less` and `Greater` ask for a
/// number on one side.
static std::optional<int64_t> compareVarying(StringRef op, int64_t a, int64_t b) {
  int64_t known = a == varies ? b : a;
  if (known == varies || known >= 0)
    return std::nullopt;
  return op == "Equal" ? 0 : (op == "Less") == (b == varies) ? 1 : 0;
}

static std::optional<int64_t> computeOne(StringRef op, int64_t a, int64_t b) {
  if (a != varies && b != varies)
    return computeKnown(op, a, b);
  return isRelation(op) ? compareVarying(op, a, b) : std::optional(varies);
}

/// How many entries operands of these sizes broadcast to; none if they do not.
static std::optional<size_t> broadcastCount(ArrayRef<Sizes> operands) {
  size_t count = 1;
  for (const Sizes &operand : operands)
    count = operand.values.size() == 1 ? count : operand.values.size();
  bool fits = llvm::all_of(operands, [&](const Sizes &operand) {
    return operand.values.size() == 1 || operand.values.size() == count;
  });
  return fits && count > 0 ? std::optional(count) : std::nullopt;
}

static size_t entryOf(const Sizes &operand, size_t index) {
  return operand.values.size() == 1 ? 0 : index;
}

static Sizes emptyLike(ArrayRef<Sizes> operands, bool isTruth) {
  Sizes result;
  result.isScalar = llvm::all_of(operands, [](const Sizes &operand) { return operand.isScalar; });
  result.isTruth = isTruth;
  return result;
}

static std::optional<Sizes> compute(StringRef op, ArrayRef<Sizes> operands) {
  std::optional<size_t> count = broadcastCount(operands);
  if (operands.size() != 2 || !count)
    return std::nullopt;
  Sizes result = emptyLike(operands, isRelation(op));
  for (size_t index = 0; index < *count; ++index) {
    std::optional<int64_t> value = computeOne(op, operands[0].values[entryOf(operands[0], index)],
                                              operands[1].values[entryOf(operands[1], index)]);
    if (!value)
      return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

/// condition, x, y.
static std::optional<Sizes> choose(ArrayRef<Sizes> operands) {
  std::optional<size_t> count = broadcastCount(operands);
  if (operands.size() != 3 || !count)
    return std::nullopt;
  Sizes result = emptyLike(operands, operands[1].isTruth);
  for (size_t index = 0; index < *count; ++index) {
    int64_t condition = operands[0].values[entryOf(operands[0], index)];
    if (condition == varies)
      return std::nullopt;
    const Sizes &chosen = operands[condition ? 1 : 2];
    result.append(chosen, entryOf(chosen, index));
  }
  return result;
}

static std::optional<Sizes> product(const Sizes &factors, bool toScalar) {
  int64_t result = 1;
  for (int64_t factor : factors.values) {
    std::optional<int64_t> next = computeOne("Mul", result, factor);
    if (!next)
      return std::nullopt;
    result = *next;
  }
  Sizes one;
  one.values.push_back(result);
  one.isScalar = toScalar;
  return one;
}

/// The number of elements of a tensor.
static std::optional<Sizes> sizeOf(const proto::NodeProto &node, TensorScope &scope,
                                   Location location) {
  std::optional<Sizes> shape = shapeOf(node, scope, location);
  return shape ? product(*shape, /*toScalar=*/true) : std::nullopt;
}

/// The product of all, which is what reducing a vector gives unless its axes say otherwise.
static std::optional<Sizes> reduceProduct(const proto::NodeProto &node, ArrayRef<Sizes> operands) {
  if (operands.size() != 1 || operands[0].isScalar)
    return std::nullopt;
  return product(operands[0], integerAttribute(node, "keepdims").value_or(1) == 0);
}

/// The integer that a ConstantOfShape repeats; none if it is no i64.
static std::optional<int64_t> repeatedValue(const proto::NodeProto &node) {
  for (const auto &attribute : node.attribute()) {
    const proto::TensorProto &value = attribute.t();
    if (attribute.name() != "value" || value.data_type() != proto::TensorProto::INT64)
      continue;
    if (value.int64_data_size() == 1)
      return value.int64_data(0);
    if (value.raw_data().size() == sizeof(int64_t))
      return llvm::support::endian::read64le(value.raw_data().data());
  }
  return std::nullopt;
}

/// A short vector of one integer, repeated.
static std::optional<Sizes> repeat(const proto::NodeProto &node, ArrayRef<Sizes> operands) {
  static constexpr int64_t most = 64;
  std::optional<int64_t> value = repeatedValue(node);
  if (!value || operands[0].values.size() != 1 || operands[0].isScalar ||
      operands[0].values[0] < 0 || operands[0].values[0] > most)
    return std::nullopt;
  Sizes result;
  result.values.assign(operands[0].values[0], *value);
  return result;
}

static std::optional<Sizes> reshaped(ArrayRef<Sizes> operands, bool toScalar) {
  if (operands.empty() || operands[0].values.size() != 1 || operands[0].isScalar == toScalar)
    return std::nullopt;
  Sizes result = operands[0];
  result.isScalar = toScalar;
  return result;
}

/// Asked first, so that the operands of other operators are not looked up.
static bool canComputeSizes(StringRef op) {
  static constexpr StringLiteral ops[] = {"Gather",
                                          "Concat",
                                          "Slice",
                                          "Squeeze",
                                          "Unsqueeze",
                                          "Identity",
                                          "Cast",
                                          "Add",
                                          "Sub",
                                          "Mul",
                                          "Div",
                                          "Mod",
                                          "Min",
                                          "Max",
                                          "Equal",
                                          "Less",
                                          "Greater",
                                          "Where",
                                          "ConstantOfShape",
                                          "ReduceProd"};
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
  if (op == "Where")
    return choose(operands);
  if (op == "ConstantOfShape")
    return repeat(node, operands);
  if (op == "ReduceProd")
    return reduceProduct(node, operands);
  bool isBinary = op != "Gather" && op != "Cast" && !integerAttribute(node, "fmod").value_or(0);
  return isBinary ? compute(op, operands) : std::nullopt;
}

std::optional<Sizes> tutti::frontend::evaluateSizes(const proto::NodeProto &node,
                                                    TensorScope &scope, Location location) {
  if (!canonicalDomain(node.domain()).empty() || node.output_size() != 1 || node.input_size() == 0)
    return std::nullopt;
  if (node.op_type() == "Shape")
    return shapeOf(node, scope, location);
  if (node.op_type() == "Size")
    return sizeOf(node, scope, location);
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
