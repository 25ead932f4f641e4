// Type inference of constants, random tensors and operators that only change a shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_INFER(ConstantOp) {
  Inference infer(getOperationName(), location, types);
  Type type = adaptor.getValue().getType();
  if (!isa<RankedTensorType>(type)) // constant_c1
    return infer.error("needs a value of ranked tensor type, but it is ", type);
  return infer.give(type);
}

TUTTI_ONNX_INFER(IdentityOp) {
  return Inference(getOperationName(), location, types).giveTypeOf(adaptor.getInput());
}

/// The product of dimensions, `?` if one is.
static int64_t productOf(ArrayRef<int64_t> dimensions) {
  int64_t product = 1;
  for (int64_t dimension : dimensions) {
    if (ShapedType::isDynamic(dimension))
      return ShapedType::kDynamic;
    product *= dimension;
  }
  return product;
}

TUTTI_ONNX_INFER(FlattenOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked(adaptor.getInput())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(adaptor.getInput());
  int64_t rank = shape.size(), axis = adaptor.getAxis();
  if (axis < -rank || axis > rank) // flatten_c1
    return infer.error("has axis ", axis, ", which does not divide the dimensions of ",
                       adaptor.getInput().getType());
  axis = axis < 0 ? axis + rank : axis;
  return infer.give({productOf(shape.take_front(axis)), productOf(shape.drop_front(axis))},
                    elementOf(adaptor.getInput()));
}

/// The dimension that an entry -1 stands for: what is left of the operand's elements. Dimensions
/// `?` that the result copies cancel out. `?` if unknown, none if it does not come out even.
static std::optional<int64_t> restOf(ArrayRef<int64_t> data, ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> copied) {
  int64_t elements = 1, taken = 1;
  for (auto [i, dimension] : llvm::enumerate(data)) {
    bool cancels = llvm::is_contained(copied, static_cast<int64_t>(i));
    if (ShapedType::isDynamic(dimension) && !cancels)
      return ShapedType::kDynamic;
    elements *= cancels ? 1 : dimension;
  }
  for (auto [i, dimension] : llvm::enumerate(shape))
    if (!llvm::is_contained(copied, static_cast<int64_t>(i)) && dimension >= 0)
      taken *= dimension;
  if (taken == 0 || elements % taken != 0)
    return std::nullopt;
  return elements / taken;
}

/// The result of a reshape, or none where it says the shape wrongly (reshape_c1, reshape_c2) or has
/// another number of elements than the operand (reshape_c3).
static std::optional<Shape> reshape(ArrayRef<int64_t> data, ArrayRef<int64_t> shape,
                                    bool allowZero) {
  Shape result;
  SmallVector<int64_t> copied;
  int64_t rest = -1;
  for (auto [i, entry] : llvm::enumerate(shape)) {
    bool copies = entry == 0 && !allowZero;
    if (entry < -1 || (entry == -1 && rest >= 0) || (copies && i >= data.size()))
      return std::nullopt;
    if (copies)
      copied.push_back(i);
    if (entry == -1)
      rest = i;
    result.push_back(copies ? data[i] : entry);
  }
  std::optional<int64_t> left = restOf(data, shape, copied);
  if (rest < 0)
    return left == 1 || (left && ShapedType::isDynamic(*left)) ||
                   productOf(data) == productOf(result)
               ? std::optional(result)
               : std::nullopt;
  if (!left)
    return std::nullopt;
  result[rest] = *left;
  return result;
}

TUTTI_ONNX_INFER(ReshapeOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked(adaptor.getData())))
    return failure();
  auto shape = reshape(shapeOf(adaptor.getData()), adaptor.getShape(), adaptor.getAllowzero() != 0);
  if (!shape)
    return infer.error("cannot bring ", adaptor.getData().getType(), " into shape ",
                       toString(adaptor.getShape()));
  return infer.give(*shape, elementOf(adaptor.getData()));
}

static SmallVector<int64_t> permutationOf(std::optional<ArrayRef<int64_t>> permutation,
                                          int64_t rank) {
  if (permutation)
    return llvm::to_vector(*permutation);
  return llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
}

SmallVector<int64_t> TransposeOp::getPermutation() {
  return permutationOf(getPerm(), shapeOf(getData()).size());
}

TUTTI_ONNX_INFER(TransposeOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked(adaptor.getData())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(adaptor.getData());
  SmallVector<int64_t> permutation = permutationOf(adaptor.getPerm(), shape.size()),
                       sorted = permutation;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, shape.size()))) // transpose_c1
    return infer.error("has perm ", toString(permutation),
                       ", which is not a permutation of the dimensions of ",
                       adaptor.getData().getType());
  Shape result;
  for (int64_t dimension : permutation)
    result.push_back(shape[dimension]);
  return infer.give(result, elementOf(adaptor.getData()));
}

/// The axes that a Squeeze drops; none if they are not distinct dimensions.
static std::optional<SmallVector<int64_t>> droppedAxes(std::optional<ArrayRef<int64_t>> axes,
                                                       ArrayRef<int64_t> shape) {
  if (axes)
    return normalizeAxes(*axes, shape.size());
  SmallVector<int64_t> ones;
  for (auto [i, dimension] : llvm::enumerate(shape))
    if (dimension == 1)
      ones.push_back(i);
  return ones;
}

SmallVector<int64_t> SqueezeOp::getDroppedAxes() {
  return *droppedAxes(getAxes(), shapeOf(getData()));
}

TUTTI_ONNX_INFER(SqueezeOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked(adaptor.getData())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(adaptor.getData());
  auto axes = droppedAxes(adaptor.getAxes(), shape);
  if (!axes) // squeeze_c1
    return infer.error("has axes ", toString(*adaptor.getAxes()),
                       ", which are not distinct dimensions of ", adaptor.getData().getType());
  for (int64_t axis : *axes)
    if (!mergeDimensions(shape[axis], 1)) // squeeze_c2
      return infer.error("cannot drop dimension ", axis, " of ", adaptor.getData().getType(),
                         ", which is not 1");
  return infer.give(reduceShape(shape, *axes, /*keepDimensions=*/false),
                    elementOf(adaptor.getData()));
}

TUTTI_ONNX_INFER(UnsqueezeOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked(adaptor.getData())))
    return failure();
  Shape shape(shapeOf(adaptor.getData()));
  auto axes = normalizeAxes(adaptor.getAxes(), shape.size() + adaptor.getAxes().size());
  if (!axes) // unsqueeze_c1
    return infer.error("has axes ", toString(adaptor.getAxes()),
                       ", which are not distinct dimensions of a tensor of ", "rank ",
                       shape.size() + adaptor.getAxes().size());
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return infer.give(shape, elementOf(adaptor.getData()));
}

/// A random tensor (randomnormal_c1, randomnormal_c2).
static LogicalResult inferRandom(Inference infer, ArrayRef<int64_t> shape, Type element) {
  if (!isa<FloatType>(element))
    return infer.error("draws floats, but dtype is ", element);
  if (llvm::any_of(shape, [](int64_t dimension) { return dimension < 0; }))
    return infer.error("has a negative dimension in shape ", toString(shape));
  return infer.give(shape, element);
}

TUTTI_ONNX_INFER(RandomNormalOp) {
  return inferRandom({getOperationName(), location, types}, adaptor.getShape(), adaptor.getDtype());
}

TUTTI_ONNX_INFER(RandomUniformOp) {
  return inferRandom({getOperationName(), location, types}, adaptor.getShape(), adaptor.getDtype());
}

/// The shape of a tensor, and its type unless `dtype` gives another (randomnormallike_c1).
static LogicalResult inferRandomLike(Inference infer, Value like, std::optional<Type> dtype) {
  if (failed(infer.requireRanked(like)))
    return failure();
  Type element = dtype.value_or(elementOf(like));
  if (!isa<FloatType>(element))
    return infer.error("draws floats, but its type is ", element, "; state a dtype");
  return infer.give(shapeOf(like), element);
}

TUTTI_ONNX_INFER(RandomNormalLikeOp) {
  return inferRandomLike({getOperationName(), location, types}, adaptor.getLike(),
                         adaptor.getDtype());
}

TUTTI_ONNX_INFER(RandomUniformLikeOp) {
  return inferRandomLike({getOperationName(), location, types}, adaptor.getLike(),
                         adaptor.getDtype());
}
