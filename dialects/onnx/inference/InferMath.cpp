// Type inference of elementwise operators, conversions of type and matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

LogicalResult tutti::onnx::inferElementwise(Inference infer, ValueRange operands,
                                            unsigned firstTyped, bool isTruth) {
  ValueRange typed = operands.drop_front(std::min<size_t>(firstTyped, operands.size()));
  if (failed(infer.requireRanked(operands)) || failed(infer.requireOneElementType(typed)))
    return failure();
  FailureOr<Shape> shape = infer.broadcast(operands);
  if (failed(shape))
    return failure();
  Type element = elementOf(typed.front());
  return infer.give(*shape, isTruth ? IntegerType::get(element.getContext(), 1) : element);
}

LogicalResult tutti::onnx::inferActivationGradient(Inference infer, Value dy, Value saved,
                                                   StringRef name) {
  if (failed(infer.requireSameType(dy, "dY", saved, name)))
    return failure();
  return infer.give(*mergeShapes(shapeOf(dy), shapeOf(saved)), elementOf(dy));
}

TUTTI_ONNX_INFER(PowOp) {
  return Inference(getOperationName(), location, types).giveBroadcast(adaptor.getOperands());
}

TUTTI_ONNX_INFER(CastOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRanked(adaptor.getOperands())))
    return failure();
  if (!adaptor.getTo().isIntOrFloat()) // cast_c1
    return infer.error("casts to a float, integer or bool type, not to ", adaptor.getTo());
  return infer.give(shapeOf(adaptor.getInput()), adaptor.getTo());
}

/// The batch dimensions, rows and columns of a matrix product's result.
static LogicalResult inferMatMul(Inference &infer, Value a, Value b) {
  Shape left(shapeOf(a)), right(shapeOf(b));
  bool row = left.size() == 1, column = right.size() == 1;
  if (row)
    left.insert(left.begin(), 1);
  if (column)
    right.push_back(1);
  ArrayRef<int64_t> l(left), r(right);
  if (!mergeDimensions(l.back(), r.drop_back().back())) // matmul_c2
    return infer.error("needs as many columns of A as rows of B, but they are ", a.getType(),
                       " and ", b.getType());
  std::optional<Shape> shape = broadcastShapes(l.drop_back(2), r.drop_back(2));
  if (!shape) // matmul_c3
    return infer.error("cannot broadcast the batch dimensions of ", a.getType(), " and ",
                       b.getType());
  if (!row)
    shape->push_back(l.drop_back().back());
  if (!column)
    shape->push_back(r.back());
  return infer.give(*shape, elementOf(a));
}

TUTTI_ONNX_INFER(MatMulOp) {
  Inference infer(getOperationName(), location, types);
  Value a = adaptor.getA(), b = adaptor.getB();
  if (failed(infer.requireOneElementType(adaptor.getOperands())) ||                 // matmul_c4
      failed(infer.requireRank(a, "A", 1)) || failed(infer.requireRank(b, "B", 1))) // matmul_c1
    return failure();
  return inferMatMul(infer, a, b);
}

TUTTI_ONNX_INFER(GemmOp) {
  Inference infer(getOperationName(), location, types);
  Value a = adaptor.getA(), b = adaptor.getB();
  if (failed(infer.requireOneElementType(adaptor.getOperands())) ||                       // gemm_c4
      failed(infer.requireRank(a, "A", 2, 2)) || failed(infer.requireRank(b, "B", 2, 2))) // gemm_c1
    return failure();
  bool transA = adaptor.getTransA() != 0, transB = adaptor.getTransB() != 0;
  if (!mergeDimensions(shapeOf(a)[!transA], shapeOf(b)[transB])) // gemm_c2
    return infer.error("needs as many columns of A", transA ? "^T" : "", " as rows of B",
                       transB ? "^T" : "", ", but A and B are ", a.getType(), " and ", b.getType());
  Shape shape = {shapeOf(a)[transA], shapeOf(b)[!transB]};
  if (Value c = adaptor.getC()) {
    std::optional<Shape> wider = broadcastShapes(shape, shapeOf(c));
    if (!wider || !mergeShapes(*wider, shape)) // gemm_c3
      return infer.error("cannot broadcast C of type ", c.getType(), " to the result's shape ",
                         toString(shape));
    shape = *wider;
  }
  return infer.give(shape, elementOf(a));
}
