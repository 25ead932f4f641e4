// Writes operations of onnx and tensor, and scf.for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/onnx/StepTensors.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/onnx/inference/Inference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

Value StepTensors::zeros(Type type) {
  return ConstantOp::create(b, cast<ElementsAttr>(b.getZeroAttr(type)));
}

Value StepTensors::empty(ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(b, shape, element);
}

Value StepTensors::add(Value x, Value y) {
  return x && y ? Value(AddOp::create(b, x, y)) : x ? x : y;
}

Value StepTensors::select(Value condition, Value x, Value y) {
  return WhereOp::create(b, condition, x, y);
}

Value StepTensors::reshape(Value value, ArrayRef<int64_t> shape) {
  return ReshapeOp::create(b, value, shape).getReshaped();
}

Value StepTensors::transpose(Value value, ArrayRef<int64_t> order) {
  return TransposeOp::create(b, value, b.getDenseI64ArrayAttr(order));
}

Value StepTensors::slice(Value value, int64_t axis, int64_t begin, int64_t end) {
  if (begin == 0 && end == shapeOf(value)[axis])
    return value;
  return SliceOp::create(b, value, ArrayRef(begin), ArrayRef(end), b.getDenseI64ArrayAttr(axis),
                         DenseI64ArrayAttr());
}

Value StepTensors::entry(Value value, int64_t axis, int64_t index) {
  SmallVector<int64_t> shape(shapeOf(value));
  shape.erase(shape.begin() + axis);
  return reshape(slice(value, axis, index, index + 1), shape);
}

Value StepTensors::stack(ArrayRef<Value> values, int64_t axis) {
  SmallVector<Value> rows;
  for (Value value : values) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape.insert(shape.begin() + axis, 1);
    rows.push_back(reshape(value, shape));
  }
  return join(rows, axis);
}

Value StepTensors::join(ArrayRef<Value> values, int64_t axis) {
  return values.size() == 1 ? values[0]
                            : Value(ConcatOp::create(b, values, static_cast<uint64_t>(axis)));
}

SmallVector<Value> StepTensors::split(Value value, int64_t parts) {
  if (parts == 1)
    return {value};
  SmallVector<int64_t> shape(shapeOf(value));
  shape.back() /= parts;
  SmallVector<int64_t> sizes(parts, shape.back());
  SmallVector<Type> types(parts, RankedTensorType::get(shape, elementOf(value)));
  auto split = SplitOp::create(b, types, value, sizes, static_cast<uint64_t>(shape.size() - 1));
  return llvm::to_vector_of<Value>(split.getOutputs());
}

Value StepTensors::rows(Value value) {
  int64_t columns = shapeOf(value).back(), count = 1;
  for (int64_t size : shapeOf(value).drop_back())
    count *= size;
  return reshape(value, {count, columns});
}

Value StepTensors::sumOfRows(Value matrix) {
  return ReduceSumOp::create(b, matrix, b.getDenseI64ArrayAttr(0), /*keepdims=*/0,
                             /*noop_with_empty_axes=*/0);
}

namespace {

/// One entry of the first dimension.
struct EntryWindow {
  EntryWindow(Builder &b, RankedTensorType type, Value step)
      : offsets(type.getRank(), b.getIndexAttr(0)), strides(type.getRank(), b.getIndexAttr(1)) {
    for (int64_t size : type.getShape())
      sizes.push_back(b.getIndexAttr(size));
    offsets[0] = step;
    sizes[0] = b.getIndexAttr(1);
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

} // namespace

Value StepTensors::read(Value whole, Value step) {
  auto type = cast<RankedTensorType>(whole.getType());
  EntryWindow at(b, type, step);
  auto part = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  return tensor::ExtractSliceOp::create(b, part, whole, at.offsets, at.sizes, at.strides);
}

Value StepTensors::write(Value part, Value whole, Value step) {
  EntryWindow at(b, cast<RankedTensorType>(whole.getType()), step);
  return tensor::InsertSliceOp::create(b, part, whole, at.offsets, at.sizes, at.strides);
}

FailureOr<Carried>
tutti::conversion::createLoop(ImplicitLocOpBuilder &b, int64_t steps, bool backwards,
                              const Carried &initial,
                              function_ref<FailureOr<Carried>(Value, ValueRange)> body) {
  Value zero = arith::ConstantIndexOp::create(b, 0), one = arith::ConstantIndexOp::create(b, 1);
  Value count = arith::ConstantIndexOp::create(b, steps);
  auto loop = scf::ForOp::create(b, zero, count, one, initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  if (backwards) {
    Value last = arith::ConstantIndexOp::create(b, steps - 1);
    step = arith::SubIOp::create(b, last, step);
  }
  FailureOr<Carried> next = body(step, loop.getRegionIterArgs());
  if (failed(next))
    return failure();
  scf::YieldOp::create(b, *next);
  return Carried(loop.getResults());
}
