// Type inference of convolution, pooling, normalization and dropout, and of the gradients that
// share their attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

template <typename OpOrAdaptor> static WindowAttributes convolutionAttributes(OpOrAdaptor op) {
  Value weights = op.getW();
  return {op.getAutoPad(), op.getKernelShape().value_or(shapeOf(weights).drop_front(2)),
          op.getPads(), op.getStrides(), op.getDilations()};
}

template <typename OpOrAdaptor> static WindowAttributes poolAttributes(OpOrAdaptor op) {
  return {op.getAutoPad(), op.getKernelShape(), op.getPads(),
          op.getStrides(), op.getDilations(),   op.getCeilMode() != 0};
}

/// The window of an operation that has been verified.
static Window verifiedWindow(Operation *op, const WindowAttributes &attributes, Value data) {
  SmallVector<Type> types;
  Inference infer(op->getName().getStringRef(), op->getLoc(), types);
  return *resolveWindow(infer, attributes, shapeOf(data).drop_front(2));
}

Window ConvOp::getWindow() { return verifiedWindow(*this, convolutionAttributes(*this), getX()); }
Window ConvGradOp::getWindow() {
  return verifiedWindow(*this, convolutionAttributes(*this), getX());
}
Window MaxPoolOp::getWindow() { return verifiedWindow(*this, poolAttributes(*this), getX()); }
Window MaxPoolGradOp::getWindow() { return verifiedWindow(*this, poolAttributes(*this), getX()); }
Window AveragePoolOp::getWindow() { return verifiedWindow(*this, poolAttributes(*this), getX()); }
Window AveragePoolGradOp::getWindow() {
  return verifiedWindow(*this, poolAttributes(*this), getX());
}

/// The shape of [batch, channels, spatial...] after the window slid over the spatial dimensions of
/// `x`.
static FailureOr<Shape> slide(const Inference &infer, const WindowAttributes &attributes, Value x,
                              int64_t channels) {
  ArrayRef<int64_t> spatial = shapeOf(x).drop_front(2);
  FailureOr<Window> window = resolveWindow(infer, attributes, spatial);
  if (failed(window))
    return failure();
  Shape sizes(spatial);
  for (auto [size, kernel] : llvm::zip_equal(sizes, attributes.kernel))
    size = ShapedType::isDynamic(kernel) ? kernel : size;
  FailureOr<Shape> positions = slideWindow(infer, *window, sizes, attributes.ceilMode);
  if (failed(positions))
    return failure();
  positions->insert(positions->begin(), {shapeOf(x)[0], channels});
  return positions;
}

/// Checks data, weights and groups (conv_c1, conv_c2, conv_c4).
template <typename OpOrAdaptor>
static LogicalResult checkConvolution(const Inference &infer, OpOrAdaptor op) {
  Value x = op.getX(), w = op.getW();
  if (failed(infer.requireOneElementType({x, w})) || failed(infer.requireRank(x, "X", 3, 5)))
    return failure();
  ArrayRef<int64_t> data = shapeOf(x), weights = shapeOf(w);
  int64_t group = op.getGroup();
  if (weights.size() != data.size())
    return infer.error("needs W of X's rank, but they are ", w.getType(), " and ", x.getType());
  bool isStatic = !ShapedType::isDynamicShape(
      op.getKernelShape() || op.getAutoPad() != "NOTSET" ? weights : weights.take_front(2));
  if (!isStatic)
    return infer.error("needs W of static shape, but it is ", w.getType());
  if (group < 1 || !mergeDimensions(data[1], weights[1] * group) || weights[0] % group != 0)
    return infer.error("cannot divide the channels of X ", x.getType(), " and W ", w.getType(),
                       " into ", group, " groups");
  if (op.getKernelShape() && *op.getKernelShape() != weights.drop_front(2))
    return infer.error("has kernel_shape ", toString(*op.getKernelShape()), ", but W is ",
                       w.getType());
  return success();
}

template <typename OpOrAdaptor>
static FailureOr<Shape> inferConvolution(const Inference &infer, OpOrAdaptor op) {
  if (failed(checkConvolution(infer, op)))
    return failure();
  return slide(infer, convolutionAttributes(op), op.getX(), shapeOf(op.getW())[0]);
}

TUTTI_ONNX_INFER(ConvOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<Shape> shape = inferConvolution(infer, adaptor);
  if (failed(shape) ||
      failed(infer.requireVector(adaptor.getB(), "B", (*shape)[1], elementOf(adaptor.getX()))))
    return failure();
  return infer.give(*shape, elementOf(adaptor.getX()));
}

TUTTI_ONNX_INFER(ConvGradOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<Shape> shape = inferConvolution(infer, adaptor);
  if (failed(shape) || failed(infer.requireOneElementType(adaptor.getOperands())) ||
      failed(infer.requireShape(adaptor.getDY(), "dY", *shape)) ||
      failed(infer.giveTypeOf(adaptor.getX())) || failed(infer.giveTypeOf(adaptor.getW())))
    return failure();
  return infer.give({(*shape)[1]}, elementOf(adaptor.getX()));
}

static FailureOr<Shape> inferPool(const Inference &infer, const WindowAttributes &attributes,
                                  Value x) {
  if (failed(infer.requireRank(x, "X", 3, 5)))
    return failure();
  return slide(infer, attributes, x, shapeOf(x)[1]);
}

template <typename OpOrAdaptor>
static LogicalResult checkStorageOrder(const Inference &infer, OpOrAdaptor op) {
  if (op.getStorageOrder() == 0)
    return success();
  return infer.error("has storage_order ", op.getStorageOrder(),
                     ", but only 0 (row major) is supported");
}

TUTTI_ONNX_INFER(MaxPoolOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<Shape> shape = inferPool(infer, poolAttributes(adaptor), adaptor.getX());
  if (failed(shape) || failed(checkStorageOrder(infer, adaptor)))
    return failure();
  return infer.give(*shape, elementOf(adaptor.getX()));
}

TUTTI_ONNX_INFER(AveragePoolOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<Shape> shape = inferPool(infer, poolAttributes(adaptor), adaptor.getX());
  if (failed(shape))
    return failure();
  return infer.give(*shape, elementOf(adaptor.getX()));
}

/// The gradient of a pool: `dy` is what the pool gives for `x`.
static LogicalResult inferPoolGradient(Inference &infer, const WindowAttributes &attributes,
                                       Value dy, Value x) {
  FailureOr<Shape> shape = inferPool(infer, attributes, x);
  if (failed(shape) || failed(infer.requireOneElementType({dy, x})) ||
      failed(infer.requireShape(dy, "dY", *shape)))
    return failure();
  return infer.giveTypeOf(x);
}

TUTTI_ONNX_INFER(MaxPoolGradOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(checkStorageOrder(infer, adaptor)))
    return failure();
  return inferPoolGradient(infer, poolAttributes(adaptor), adaptor.getDY(), adaptor.getX());
}

TUTTI_ONNX_INFER(AveragePoolGradOp) {
  Inference infer(getOperationName(), location, types);
  return inferPoolGradient(infer, poolAttributes(adaptor), adaptor.getDY(), adaptor.getX());
}

TUTTI_ONNX_INFER(GlobalAveragePoolOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRank(adaptor.getX(), "X", 3)))
    return failure();
  Shape shape(shapeOf(adaptor.getX()));
  std::fill(shape.begin() + 2, shape.end(), 1);
  return infer.give(shape, elementOf(adaptor.getX()));
}

/// Gives the type of `data` and a mask of its shape.
TUTTI_ONNX_INFER(DropoutOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.giveTypeOf(adaptor.getData())))
    return failure();
  return infer.give(shapeOf(adaptor.getData()), IntegerType::get(context, 1));
}

TUTTI_ONNX_INFER(DropoutGradOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked({adaptor.getDY(), adaptor.getMask()})) ||
      failed(infer.requireShape(adaptor.getMask(), "mask", shapeOf(adaptor.getDY()))))
    return failure();
  return infer.giveTypeOf(adaptor.getDY());
}
