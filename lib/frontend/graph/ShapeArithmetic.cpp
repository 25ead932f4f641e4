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

/// More than these are data.
static constexpr int64_t mostComputedSizes = 64;

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

/// The sizes of all dimensions of the node's operand; none if it has no rank.
static std::optional<Sizes> sizesOfOperand(const proto::NodeProto &node, TensorScope &scope,
                                           Location location) {
  if (scope.isComputedSizes(node.input(0))) {
    Sizes sizes = *scope.lookupTable(node.input(0), location);
    int64_t count = sizes.values.size();
    return sizes.isMatrix() ? Sizes{{count / sizes.columns, sizes.columns}}
           : sizes.isScalar ? Sizes{}
                            : Sizes{{count}};
  }
  Value value = scope.lookup(node.input(0), location);
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type)
    return std::nullopt;
  Sizes sizes;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    sizes.values.push_back(size);
    sizes.origins.push_back({value, static_cast<int64_t>(axis)});
  }
  return sizes;
}

static std::optional<Sizes> shapeOf(const proto::NodeProto &node, TensorScope &scope,
                                    Location location) {
  std::optional<Sizes> all = sizesOfOperand(node, scope, location);
  if (!all)
    return std::nullopt;
  int64_t rank = all->values.size();
  int64_t begin = clampIndex(integerAttribute(node, "start").value_or(0), rank);
  int64_t end = clampIndex(integerAttribute(node, "end").value_or(rank), rank);
  Sizes sizes;
  for (int64_t axis = begin; axis < end; ++axis)
    sizes.append(*all, axis);
  return sizes;
}

static std::optional<Sizes> gather(ArrayRef<Sizes> operands) {
  if (operands.size() != 2 || operands[0].isScalar)
    return std::nullopt;
  const auto &data = operands[0].values;
  Sizes result{{}, operands[1].isScalar, operands[0].type};
  for (int64_t index : operands[1].values) {
    int64_t position = index < 0 ? index + static_cast<int64_t>(data.size()) : index;
    if (index == varies || position < 0 || position >= static_cast<int64_t>(data.size()))
      return std::nullopt;
    result.append(operands[0], position);
  }
  return result;
}

static std::optional<Sizes> concat(ArrayRef<Sizes> operands) {
  Sizes result{{}, /*isScalar=*/false, operands[0].type};
  for (const Sizes &operand : operands) {
    if (operand.isScalar)
      return std::nullopt;
    for (size_t i = 0; i < operand.values.size(); ++i)
      result.append(operand, i);
  }
  return result;
}

/// The entries that a slice takes of `size`, in order.
static SmallVector<int64_t> positionsOfSlice(int64_t start, int64_t end, int64_t step,
                                             int64_t size) {
  SmallVector<int64_t> positions;
  auto fromEnd = [&](int64_t index) { return index < 0 ? index + size : index; };
  if (step > 0)
    for (int64_t i = clampIndex(start, size); i < clampIndex(end, size); i += step)
      positions.push_back(i);
  else
    for (int64_t i = std::min(fromEnd(start), size - 1); i > std::max<int64_t>(fromEnd(end), -1);
         i += step)
      positions.push_back(i);
  return positions;
}

/// data, starts, ends, axes, steps; along the only axis of a vector, or of whole rows.
static std::optional<Sizes> slice(ArrayRef<Sizes> operands) {
  auto single = [&](size_t index, int64_t otherwise) {
    return index < operands.size() ? operands[index].values.front() : otherwise;
  };
  if (operands.size() < 3 || operands[0].isScalar ||
      llvm::any_of(operands.drop_front(),
                   [](const Sizes &sizes) { return sizes.values.size() != 1; }))
    return std::nullopt;
  const Sizes &data = operands[0];
  int64_t width = data.isMatrix() ? data.columns : 1, step = single(4, 1);
  if (single(1, 0) == varies || single(2, 0) == varies || step == varies || step == 0 ||
      std::abs(step) > mostComputedSizes || (data.isMatrix() && single(3, 0) != 0))
    return std::nullopt;
  Sizes result{{}, /*isScalar=*/false, data.type};
  result.columns = data.columns;
  int64_t rows = int64_t(data.values.size()) / width;
  for (int64_t row : positionsOfSlice(single(1, 0), single(2, 0), step, rows))
    for (int64_t column = 0; column < width; ++column)
      result.append(data, row * width + column);
  return result;
}

static bool isComparison(StringRef op) {
  return op == "Equal" || op == "Less" || op == "LessOrEqual" || op == "Greater" ||
         op == "GreaterOrEqual";
}

/// A size is not negative: that much is known of one that varies.
static std::optional<int64_t> compareVarying(StringRef op, int64_t a, int64_t b) {
  int64_t known = a == varies ? b : a;
  if (known == varies || known >= 0)
    return std::nullopt;
  return op == "Equal" ? 0 : op.starts_with("Less") == (b == varies) ? 1 : 0;
}

/// The result of an integer operation; none if it has none.
static std::optional<int64_t> computeOne(StringRef op, int64_t a, int64_t b) {
  if (a == varies || b == varies)
    return isComparison(op) ? compareVarying(op, a, b) : std::optional(varies);
  int64_t result = 0;
  auto of = [&](int64_t value) { return result = value, false; };
  bool divides = b != 0 && (b != -1 || a != std::numeric_limits<int64_t>::min());
  bool overflows =
      llvm::StringSwitch<std::function<bool()>>(op)
          .Case("Add", [&] { return llvm::AddOverflow(a, b, result); })
          .Case("Sub", [&] { return llvm::SubOverflow(a, b, result); })
          .Case("Mul", [&] { return llvm::MulOverflow(a, b, result); })
          .Case("Div", [&] { return !divides || of(a / b); })
          .Case("Mod", [&] { return !divides || of(((a % b) + b) % b); })
          .Case("Min", [&] { return of(std::min(a, b)); })
          .Case("Max", [&] { return of(std::max(a, b)); })
          .Cases({"Equal", "And"}, [&] { return of(op == "Equal" ? a == b : (a && b)); })
          .Case("Or", [&] { return of(a || b); })
          .Case("Less", [&] { return of(a < b); })
          .Case("LessOrEqual", [&] { return of(a <= b); })
          .Case("Greater", [&] { return of(a > b); })
          .Case("GreaterOrEqual", [&] { return of(a >= b); })
          .Default([] { return true; })();
  return overflows ? std::nullopt : std::optional(result);
}

/// The number of elements of a result whose operands are repeated to fit each other, or none.
static std::optional<size_t> broadcastSize(ArrayRef<Sizes> operands) {
  size_t size = 1;
  for (const Sizes &operand : operands) {
    if (operand.values.empty() ||
        (operand.values.size() != 1 && size != 1 && operand.values.size() != size))
      return std::nullopt;
    size = std::max(size, operand.values.size());
  }
  return size;
}

static size_t entryOf(const Sizes &sizes, size_t index) {
  return sizes.values.size() == 1 ? 0 : index;
}

static int64_t elementAt(const Sizes &sizes, size_t index) {
  return sizes.values[entryOf(sizes, index)];
}

static bool areScalars(ArrayRef<Sizes> operands) {
  return llvm::all_of(operands, [](const Sizes &operand) { return operand.isScalar; });
}

static std::optional<Sizes> compute(StringRef op, ArrayRef<Sizes> operands, IntegerType type) {
  std::optional<size_t> size = broadcastSize(operands);
  if (operands.size() != 2 || !size)
    return std::nullopt;
  Sizes result{{}, areScalars(operands), type};
  for (size_t index = 0; index < *size; ++index) {
    std::optional<int64_t> value =
        computeOne(op, elementAt(operands[0], index), elementAt(operands[1], index));
    if (!value)
      return std::nullopt;
    result.values.push_back(*value);
  }
  return result;
}

static std::optional<Sizes> reshaped(ArrayRef<Sizes> operands, bool toScalar) {
  if (operands.empty() || operands[0].values.size() != 1 || operands[0].isScalar == toScalar)
    return std::nullopt;
  Sizes result = operands[0];
  result.isScalar = toScalar;
  return result;
}

/// To a matrix of this many rows and columns, one of which may be -1.
static std::optional<Sizes> reshapeToMatrix(const Sizes &data, int64_t rows, int64_t columns) {
  int64_t size = data.values.size();
  if (size == 0 || rows == 0 || columns == 0)
    return std::nullopt;
  rows = rows == -1 ? size / columns : rows;
  columns = columns == -1 ? size / rows : columns;
  if (rows < 1 || columns < 1 || rows > size || columns > size || rows * columns != size)
    return std::nullopt;
  Sizes result = data;
  result.isScalar = false;
  result.columns = columns;
  return result;
}

/// To a scalar, a vector or a matrix.
static std::optional<Sizes> reshape(ArrayRef<Sizes> operands) {
  if (operands.size() != 2 || operands[1].isScalar || operands[1].values.size() > 2)
    return std::nullopt;
  if (operands[1].values.size() == 2)
    return reshapeToMatrix(operands[0], operands[1].values[0], operands[1].values[1]);
  bool toScalar = operands[1].values.empty();
  int64_t wanted = toScalar ? 1 : operands[1].values.front();
  int64_t size = operands[0].values.size();
  if (wanted != -1 && wanted != size)
    return std::nullopt;
  Sizes result = operands[0];
  result.isScalar = toScalar;
  result.columns = 0;
  return result;
}

/// Rows become columns; a vector stays.
static std::optional<Sizes> transpose(const proto::NodeProto &node, const Sizes &data) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "perm" && data.isMatrix() && attribute.ints_size() == 2 &&
        attribute.ints(0) == 0)
      return data;
  if (!data.isMatrix())
    return data;
  int64_t rows = int64_t(data.values.size()) / data.columns;
  Sizes result{{}, /*isScalar=*/false, data.type};
  for (int64_t column = 0; column < data.columns; ++column)
    for (int64_t row = 0; row < rows; ++row)
      result.append(data, row * data.columns + column);
  result.columns = rows;
  return result;
}

static std::optional<Sizes> range(ArrayRef<Sizes> operands) {
  if (operands.size() != 3 || !areScalars(operands) ||
      llvm::any_of(operands, [](const Sizes &operand) { return !operand.areKnown(); }))
    return std::nullopt;
  auto at = [&](size_t index) { return operands[index].values.front(); };
  Sizes result{{}, /*isScalar=*/false, operands[0].type};
  __int128 step = at(2), end = at(1);
  if (step == 0)
    return std::nullopt;
  for (__int128 value = at(0); step > 0 ? value < end : value > end; value += step) {
    if (static_cast<int64_t>(result.values.size()) == mostComputedSizes)
      return std::nullopt;
    result.values.push_back(static_cast<int64_t>(value));
  }
  return result;
}

/// condition, x, y.
static std::optional<Sizes> choose(ArrayRef<Sizes> operands) {
  std::optional<size_t> size = broadcastSize(operands);
  if (operands.size() != 3 || !size || !operands[0].areKnown())
    return std::nullopt;
  Sizes result{{}, areScalars(operands), operands[1].type};
  for (size_t index = 0; index < *size; ++index) {
    const Sizes &chosen = operands[elementAt(operands[0], index) ? 1 : 2];
    result.append(chosen, entryOf(chosen, index));
  }
  return result;
}

static std::optional<Sizes> product(const Sizes &factors, bool toScalar) {
  Sizes result{{1}, toScalar, factors.type};
  for (int64_t factor : factors.values) {
    std::optional<int64_t> next = computeOne("Mul", result.values.front(), factor);
    if (!next)
      return std::nullopt;
    result.values.front() = *next;
  }
  return result;
}

/// The number of elements of a tensor.
static std::optional<Sizes> sizeOf(const proto::NodeProto &node, TensorScope &scope,
                                   Location location) {
  std::optional<Sizes> sizes = sizesOfOperand(node, scope, location);
  return sizes ? product(*sizes, /*toScalar=*/true) : std::nullopt;
}

/// The product of all, which is what reducing a vector gives whether its axis is told or not.
static std::optional<Sizes> reduceProduct(const proto::NodeProto &node, ArrayRef<Sizes> operands) {
  if (operands[0].isScalar || integerAttribute(node, "noop_with_empty_axes").value_or(0) != 0)
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
  std::optional<int64_t> value = repeatedValue(node);
  if (!value || *value == varies || operands[0].values.size() != 1 || operands[0].isScalar ||
      operands[0].values[0] < 0 || operands[0].values[0] > mostComputedSizes)
    return std::nullopt;
  Sizes result;
  result.values.assign(operands[0].values[0], *value);
  return result;
}

/// The operand, its values in another type.
static std::optional<Sizes> cast(const proto::NodeProto &node, const Sizes &operand,
                                 MLIRContext *context) {
  Sizes result = operand;
  switch (integerAttribute(node, "to").value_or(0)) {
  case proto::TensorProto::INT64:
    result.type = IntegerType::get(context, 64);
    return result;
  case proto::TensorProto::INT32:
    result.type = IntegerType::get(context, 32);
    return result;
  case proto::TensorProto::BOOL:
    result.type = IntegerType::get(context, 1);
    for (int64_t &value : result.values)
      value = value != 0;
    return operand.areKnown() ? std::optional(result) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// One of several operands, each of which may be absent.
static std::optional<Sizes> fold(StringRef op, ArrayRef<Sizes> operands) {
  Sizes result = operands.front();
  for (const Sizes &operand : operands.drop_front()) {
    std::optional<Sizes> next = compute(op, {result, operand}, result.type);
    if (!next)
      return std::nullopt;
    result = std::move(*next);
  }
  return result;
}

bool tutti::frontend::canEvaluateSizes(StringRef op) {
  static constexpr StringLiteral ops[] = {
      "Shape",     "Size",       "Gather",   "Concat", "Slice",       "Squeeze",
      "Unsqueeze", "Cast",       "Identity", "Add",    "Sub",         "Mul",
      "Div",       "Mod",        "Min",      "Max",    "Neg",         "Range",
      "Reshape",   "ReduceProd", "Equal",    "Less",   "LessOrEqual", "GreaterOrEqual",
      "Where",     "Greater",    "And",      "Or",     "Not",         "ConstantOfShape",
      "Transpose"};
  return llvm::is_contained(ops, op);
}

static std::optional<Sizes> evaluate(const proto::NodeProto &node, ArrayRef<Sizes> operands,
                                     MLIRContext *context) {
  StringRef op = node.op_type();
  auto boolean = IntegerType::get(context, 1);
  bool takesMatrices =
      op == "Reshape" || op == "Slice" || op == "Transpose" || op == "Cast" || op == "Identity";
  if (!takesMatrices && llvm::any_of(operands, [](const Sizes &sizes) { return sizes.isMatrix(); }))
    return std::nullopt;
  if (op == "Gather" && integerAttribute(node, "axis").value_or(0) == 0)
    return gather(operands);
  if (op == "Concat")
    return concat(operands);
  if (op == "Slice")
    return slice(operands);
  if (op == "Squeeze" || op == "Unsqueeze")
    return reshaped(operands, op == "Squeeze");
  if (op == "Reshape")
    return reshape(operands);
  if (op == "Transpose")
    return transpose(node, operands.front());
  if (op == "Identity")
    return operands.front();
  if (op == "Cast")
    return cast(node, operands.front(), context);
  if (op == "Range")
    return range(operands);
  if (op == "Where")
    return choose(operands);
  if (op == "ConstantOfShape")
    return repeat(node, operands);
  if (op == "ReduceProd")
    return reduceProduct(node, operands);
  if (op == "Neg")
    return compute("Sub", {Sizes{{0}, true, operands[0].type}, operands[0]}, operands[0].type);
  if (op == "Not")
    return compute("Equal", {Sizes{{0}, true, boolean}, operands[0]}, boolean);
  if (op == "Min" || op == "Max")
    return fold(op, operands);
  if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div" ||
      (op == "Mod" && integerAttribute(node, "fmod").value_or(0) == 0))
    return compute(op, operands, operands[0].type);
  if (isComparison(op) || op == "And" || op == "Or")
    return compute(op, operands, boolean);
  return std::nullopt;
}

/// Whether every value fits the type; only then the result is what the operator would give.
static bool fits(const Sizes &sizes) {
  unsigned width = sizes.type ? sizes.type.getWidth() : 64;
  return llvm::all_of(sizes.values, [&](int64_t value) {
    return value == varies || width == 64 ||
           (width == 1 ? value == 0 || value == 1 : llvm::isIntN(width, value));
  });
}

std::optional<Sizes> tutti::frontend::evaluateSizes(const proto::NodeProto &node,
                                                    TensorScope &scope, Location location) {
  if (!canonicalDomain(node.domain()).empty() || node.output_size() != 1 ||
      node.input_size() == 0 || !canEvaluateSizes(node.op_type()))
    return std::nullopt;
  if (node.op_type() == "Shape")
    return shapeOf(node, scope, location);
  if (node.op_type() == "Size")
    return sizeOf(node, scope, location);
  SmallVector<Sizes> operands;
  for (const std::string &input : node.input()) {
    std::optional<Sizes> known = input.empty() ? std::nullopt : scope.lookupTable(input, location);
    if (!known)
      return std::nullopt;
    operands.push_back(std::move(*known));
  }
  std::optional<Sizes> result = evaluate(node, operands, location.getContext());
  return result && fits(*result) ? result : std::nullopt;
}
