// Shape arithmetic with `?` dimensions, and the checks that type inference shares.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tutti::onnx;

bool tutti::onnx::areCompatible(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  return llvm::all_of(llvm::zip_equal(inferred, actual), [](auto pair) {
    auto [a, b] = pair;
    return getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
           succeeded(verifyCompatibleShape(a, b));
  });
}

std::optional<int64_t> tutti::onnx::mergeDimensions(int64_t a, int64_t b) {
  if (ShapedType::isDynamic(a))
    return b;
  if (ShapedType::isDynamic(b) || a == b)
    return a;
  return std::nullopt;
}

std::optional<Shape> tutti::onnx::mergeShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() != b.size())
    return std::nullopt;
  Shape merged;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    std::optional<int64_t> dimension = mergeDimensions(x, y);
    if (!dimension)
      return std::nullopt;
    merged.push_back(*dimension);
  }
  return merged;
}

std::optional<Shape> tutti::onnx::broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape result(a);
  size_t offset = a.size() - b.size();
  for (auto [i, dimension] : llvm::enumerate(b)) {
    int64_t &target = result[offset + i];
    if (dimension == 1)
      continue;
    std::optional<int64_t> merged = target == 1 ? dimension : mergeDimensions(target, dimension);
    if (!merged)
      return std::nullopt;
    target = *merged;
  }
  return result;
}

std::optional<SmallVector<int64_t>> tutti::onnx::normalizeAxes(ArrayRef<int64_t> axes,
                                                               int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank)
      return std::nullopt;
    result.push_back(axis < 0 ? axis + rank : axis);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return std::nullopt;
  return result;
}

std::optional<SmallVector<int64_t>> tutti::onnx::reducedAxes(std::optional<ArrayRef<int64_t>> axes,
                                                             bool noop, int64_t rank) {
  if (axes && !axes->empty())
    return normalizeAxes(*axes, rank);
  if (noop)
    return SmallVector<int64_t>();
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

Shape tutti::onnx::reduceShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes,
                               bool keepDimensions) {
  Shape result;
  for (auto [i, dimension] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      result.push_back(dimension);
    else if (keepDimensions)
      result.push_back(1);
  }
  return result;
}

ArrayRef<int64_t> tutti::onnx::shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Type tutti::onnx::elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

int64_t tutti::onnx::countedFromZero(int64_t axis, Value operand) {
  return axis < 0 ? axis + static_cast<int64_t>(shapeOf(operand).size()) : axis;
}

std::string tutti::onnx::toString(ArrayRef<int64_t> shape) {
  auto spell = [](int64_t d) {
    return ShapedType::isDynamic(d) ? std::string("?") : std::to_string(d);
  };
  return "[" + llvm::join(llvm::map_range(shape, spell), ", ") + "]";
}

LogicalResult Inference::give(ArrayRef<int64_t> shape, Type element) {
  return give(RankedTensorType::get(shape, element));
}

LogicalResult Inference::give(Type type) {
  types.push_back(type);
  return success();
}

LogicalResult Inference::requireRanked(ValueRange operands) const {
  for (Value operand : operands)
    if (!isa<RankedTensorType>(operand.getType()))
      return error("needs ranked tensors, but an operand is ", operand.getType());
  return success();
}

LogicalResult Inference::requireOneElementType(ValueRange operands) const {
  if (failed(requireRanked(operands)))
    return failure();
  for (Value operand : operands)
    if (elementOf(operand) != elementOf(operands.front()))
      return error("needs operands of one element type, but has ", operands.front().getType(),
                   " and ", operand.getType());
  return success();
}

LogicalResult Inference::requireSameType(Value a, StringRef aName, Value b, StringRef bName) const {
  if (failed(requireOneElementType({a, b})))
    return failure();
  if (!mergeShapes(shapeOf(a), shapeOf(b)))
    return error("needs ", aName, " and ", bName, " of one shape, but they are ", a.getType(),
                 " and ", b.getType());
  return success();
}

LogicalResult Inference::requireVector(Value operand, StringRef name, int64_t size,
                                       Type element) const {
  if (!operand)
    return success();
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || type.getElementType() != element || !mergeShapes(type.getShape(), {size}))
    return error("needs ", name, " of type ", RankedTensorType::get({size}, element),
                 ", but it is ", operand.getType());
  return success();
}

LogicalResult Inference::requireShape(Value operand, StringRef name,
                                      ArrayRef<int64_t> shape) const {
  if (failed(requireRanked(operand)))
    return failure();
  if (!mergeShapes(shapeOf(operand), shape))
    return error("needs ", name, " of shape ", toString(shape), ", but it is ", operand.getType());
  return success();
}

LogicalResult Inference::requireRank(Value operand, StringRef name, int64_t least,
                                     int64_t most) const {
  if (failed(requireRanked(operand)))
    return failure();
  int64_t rank = shapeOf(operand).size();
  if (rank >= least && rank <= most)
    return success();
  if (most == INT64_MAX)
    return error("needs ", name, " of rank ", least, " or more, but it is ", operand.getType());
  if (most == least)
    return error("needs ", name, " of rank ", least, ", but it is ", operand.getType());
  return error("needs ", name, " of rank ", least, " to ", most, ", but it is ", operand.getType());
}

LogicalResult Inference::requireAxis(int64_t axis, Value operand) const {
  if (failed(requireRanked(operand)))
    return failure();
  int64_t rank = shapeOf(operand).size();
  if (axis < -rank || axis >= rank)
    return error("has axis ", axis, ", which is not a dimension of ", operand.getType());
  return success();
}

FailureOr<Shape> Inference::broadcast(ValueRange operands) const {
  if (operands.empty())
    return error("needs at least one operand");
  if (failed(requireRanked(operands)))
    return failure();
  Shape shape(shapeOf(operands.front()));
  for (Value operand : operands.drop_front()) {
    std::optional<Shape> wider = broadcastShapes(shape, shapeOf(operand));
    if (!wider)
      return error("cannot broadcast shapes ", toString(shape), " and ", toString(shapeOf(operand)),
                   " to one shape");
    shape = *wider;
  }
  return shape;
}

LogicalResult Inference::giveBroadcast(ValueRange operands) {
  FailureOr<Shape> shape = broadcast(operands);
  return failed(shape) ? failure() : give(*shape, elementOf(operands.front()));
}

LogicalResult Inference::giveTypeOf(Value operand) {
  if (failed(requireRanked(operand)))
    return failure();
  return give(shapeOf(operand), elementOf(operand));
}
