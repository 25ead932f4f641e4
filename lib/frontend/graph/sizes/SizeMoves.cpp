// Sizes that are picked, joined, turned and repeated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/graph/sizes/SizeMoves.h"

using namespace mlir;
using namespace tutti::frontend;

std::optional<int64_t> tutti::frontend::integerAttribute(const proto::NodeProto &node,
                                                         StringRef name) {
  for (const auto &attribute : node.attribute())
    if (attribute.name() == name && attribute.has_i())
      return attribute.i();
  return std::nullopt;
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

/// A number that is repeated to a vector, or a vector as long as asked for.
static std::optional<Sizes> expand(ArrayRef<Sizes> operands) {
  if (operands.size() != 2 || operands[1].isScalar || operands[1].values.size() != 1)
    return std::nullopt;
  const Sizes &data = operands[0];
  int64_t wanted = operands[1].values.front(), count = data.values.size();
  if (wanted < 1 || wanted > mostComputedSizes || (count != 1 && wanted != 1 && wanted != count))
    return std::nullopt;
  Sizes result{{}, /*isScalar=*/false, data.type};
  for (int64_t i = 0; i < std::max(wanted, count); ++i)
    result.append(data, count == 1 ? 0 : i);
  return result;
}

bool tutti::frontend::isSizeMove(StringRef op) {
  static constexpr StringLiteral ops[] = {"Gather",  "Concat",    "Slice",  "Squeeze", "Unsqueeze",
                                          "Reshape", "Transpose", "Expand", "Identity"};
  return llvm::is_contained(ops, op);
}

std::optional<Sizes> tutti::frontend::moveSizes(const proto::NodeProto &node,
                                                ArrayRef<Sizes> operands) {
  StringRef op = node.op_type();
  bool takesMatrices = op == "Reshape" || op == "Slice" || op == "Transpose" || op == "Identity";
  if (!takesMatrices && llvm::any_of(operands, [](const Sizes &sizes) { return sizes.isMatrix(); }))
    return std::nullopt;
  if (op == "Gather")
    return integerAttribute(node, "axis").value_or(0) == 0 ? gather(operands) : std::nullopt;
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
  return op == "Expand" ? expand(operands) : std::optional(operands.front());
}

/// How long the parts of a Split are: as its second operand or its attribute says, or equally long.
static SmallVector<int64_t> lengthsOfParts(const proto::NodeProto &node, ArrayRef<Sizes> operands) {
  int64_t parts = node.output_size(), size = operands[0].values.size();
  SmallVector<int64_t> lengths;
  if (operands.size() > 1)
    lengths = operands[1].values;
  for (const auto &attribute : node.attribute())
    if (attribute.name() == "split")
      lengths.assign(attribute.ints().begin(), attribute.ints().end());
  if (lengths.empty() && size % parts == 0)
    lengths.assign(parts, size / parts);
  return lengths;
}

std::optional<SmallVector<Sizes>> tutti::frontend::splitSizes(const proto::NodeProto &node,
                                                              ArrayRef<Sizes> operands) {
  const Sizes &data = operands.front();
  if (data.isScalar || data.isMatrix() || integerAttribute(node, "axis").value_or(0) != 0)
    return std::nullopt;
  SmallVector<int64_t> lengths = lengthsOfParts(node, operands);
  SmallVector<Sizes> parts;
  size_t taken = 0;
  for (int64_t length : lengths) {
    parts.push_back(Sizes{{}, /*isScalar=*/false, data.type});
    if (length < 0 || static_cast<size_t>(length) > data.values.size() - taken)
      return std::nullopt;
    for (int64_t i = 0; i < length; ++i)
      parts.back().append(data, taken++);
  }
  bool isWhole = taken == data.values.size();
  return isWhole && parts.size() == static_cast<size_t>(node.output_size())
             ? std::optional(std::move(parts))
             : std::nullopt;
}
