// Builders of Linalg for conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/LinalgBuilders.h"

#include "passes/conversion/ScalarMath.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tutti::conversion {

RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

Value createEmpty(ImplicitLocOpBuilder &builder, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
}

Value createScalar(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(type))
    attribute = builder.getFloatAttr(floatType, value);
  else
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value createFilled(ImplicitLocOpBuilder &builder, RankedTensorType type, double value) {
  Value scalar = createScalar(builder, builder.getLoc(), type.getElementType(), value);
  return linalg::FillOp::create(builder, scalar, createEmpty(builder, type)).getResult(0);
}

SmallVector<int64_t> dimensionsWithout(int64_t rank, ArrayRef<int64_t> dropped) {
  SmallVector<int64_t> kept;
  for (int64_t dimension = 0; dimension < rank; ++dimension)
    if (!llvm::is_contained(dropped, dimension))
      kept.push_back(dimension);
  return kept;
}

AffineMap selectDimensions(MLIRContext *context, int64_t rank, ArrayRef<int64_t> dimensions) {
  SmallVector<AffineExpr> results;
  for (int64_t dimension : dimensions)
    results.push_back(getAffineDimExpr(dimension, context));
  return AffineMap::get(rank, 0, results, context);
}

/// Yields the body's values from the block of a linalg.generic.
static auto yieldOf(ScalarBody body) {
  return [body](OpBuilder &nested, Location loc, ValueRange scalars) {
    ImplicitLocOpBuilder builder(loc, nested);
    linalg::YieldOp::create(builder, body(builder, scalars));
  };
}

/// Drops the dimensions of `input` that broadcasting to `shape` repeats; `map` says where the
/// others are.
static Value dropBroadcast(ImplicitLocOpBuilder &builder, Value input, ArrayRef<int64_t> shape,
                           AffineMap &map) {
  ArrayRef<int64_t> inputShape = tensorType(input).getShape();
  int64_t offset = shape.size() - inputShape.size();
  SmallVector<int64_t> keptShape, dimensions;
  for (auto [index, size] : llvm::enumerate(inputShape)) {
    if (size == 1 && shape[index + offset] != 1)
      continue;
    keptShape.push_back(size);
    dimensions.push_back(index + offset);
  }
  map = selectDimensions(builder.getContext(), shape.size(), dimensions);
  return createReshape(builder, input, keptShape);
}

SmallVector<Value> createElementwise(ImplicitLocOpBuilder &builder, ValueRange inputs,
                                     ValueRange outputs, ScalarBody body) {
  ArrayRef<int64_t> shape = tensorType(outputs.front()).getShape();
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (Value input : inputs)
    operands.push_back(dropBroadcast(builder, input, shape, maps.emplace_back()));
  maps.append(outputs.size(), builder.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, outputs.getTypes(), operands, outputs, maps,
                                           iterators, yieldOf(body));
  return llvm::to_vector_of<Value>(generic.getResults());
}

Value createElementwise(ImplicitLocOpBuilder &builder, RankedTensorType type, ValueRange inputs,
                        ScalarBody body) {
  // Inputs first: reshapes of theirs then stand before the empty tensor, as a reader expects.
  return createElementwise(builder, inputs, ValueRange{createEmpty(builder, type)}, body).front();
}

Value createMapped(ImplicitLocOpBuilder &builder, RankedTensorType type, ValueRange inputs,
                   ArrayRef<AffineMap> inputMaps, ScalarBody body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, TypeRange{type}, inputs,
                                           ValueRange{createEmpty(builder, type)}, maps, iterators,
                                           yieldOf(body));
  return generic.getResult(0);
}

SmallVector<Value> createReduction(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> shape,
                                   ArrayRef<int64_t> kept, ValueRange inputs,
                                   ArrayRef<AffineMap> inputMaps, ArrayRef<Type> elementTypes,
                                   ArrayRef<double> initial, ScalarBody body) {
  SmallVector<int64_t> resultShape;
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::reduction);
  for (int64_t dimension : kept) {
    resultShape.push_back(shape[dimension]);
    iterators[dimension] = utils::IteratorType::parallel;
  }
  SmallVector<AffineMap> maps(inputMaps);
  SmallVector<Value> outputs;
  for (auto [type, value] : llvm::zip_equal(elementTypes, initial)) {
    maps.push_back(selectDimensions(builder.getContext(), shape.size(), kept));
    outputs.push_back(createFilled(builder, RankedTensorType::get(resultShape, type), value));
  }
  auto generic = linalg::GenericOp::create(builder, ValueRange(outputs).getTypes(), inputs, outputs,
                                           maps, iterators, yieldOf(body));
  return llvm::to_vector_of<Value>(generic.getResults());
}

Value createReduction(ImplicitLocOpBuilder &builder, Value input, ArrayRef<int64_t> kept,
                      double initial, ScalarBody body) {
  RankedTensorType type = tensorType(input);
  return createReduction(builder, type.getShape(), kept, input,
                         builder.getMultiDimIdentityMap(type.getRank()), type.getElementType(),
                         initial, body)
      .front();
}

Value createSum(ImplicitLocOpBuilder &builder, Value input, ArrayRef<int64_t> kept) {
  return createReduction(builder, input, kept, 0.0,
                         [](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                           return {ScalarMath(b, in[0].getType()).add(in[1], in[0])};
                         });
}

Value createReshape(ImplicitLocOpBuilder &builder, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType from = tensorType(value);
  if (from.getShape() == shape)
    return value;
  auto to = RankedTensorType::get(shape, from.getElementType());
  if (from.getNumElements() == 0)
    return tensor::EmptyOp::create(builder, shape, from.getElementType());
  if (auto groups = getReassociationIndicesForReshape(from, to)) {
    if (from.getRank() > to.getRank())
      return tensor::CollapseShapeOp::create(builder, to, value, *groups);
    return tensor::ExpandShapeOp::create(builder, to, value, *groups);
  }
  Value flat = createReshape(builder, value, {from.getNumElements()});
  return createReshape(builder, flat, shape);
}

} // namespace tutti::conversion
