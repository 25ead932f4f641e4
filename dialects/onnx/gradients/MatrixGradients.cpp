// Gradients of matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

/// factor * a' * b', where a' and b' are transposed as asked.
static Value product(GradientBuilder &g, Value a, bool transA, Value b, bool transB,
                     float factor = 1) {
  Builder attributes(a.getContext());
  return g.create<GemmOp>(a, b, /*C=*/Value(), attributes.getF32FloatAttr(factor),
                          attributes.getF32FloatAttr(1), attributes.getI64IntegerAttr(transA),
                          attributes.getI64IntegerAttr(transB));
}

// Y = alpha * A' * B' + beta * C, and each gradient is again one Gemm.
TUTTI_ONNX_GRADIENT(GemmOp) {
  Value dy = g.into(), a = op.getA(), b = op.getB();
  bool transA = op.getTransA() != 0, transB = op.getTransB() != 0;
  float alpha = op.getAlpha().convertToFloat(), beta = op.getBeta().convertToFloat();
  if (g.wants(0))
    g.give(0, transA ? product(g, b, transB, dy, true, alpha)
                     : product(g, dy, false, b, !transB, alpha));
  if (g.wants(1))
    g.give(1, transB ? product(g, dy, true, a, transA, alpha)
                     : product(g, a, !transA, dy, false, alpha));
  if (g.wants(2))
    g.give(2, beta == 1 ? dy : g.scale(dy, beta));
  return success();
}

/// All rows of all batches as one matrix.
static Value allRows(GradientBuilder &g, Value value) {
  int64_t rank = shapeOf(value).size();
  if (rank == 2)
    return value;
  return g.create<FlattenOp>(value, Builder(value.getContext()).getI64IntegerAttr(rank - 1));
}

/// dY * B^T for operands of rank 2 or more.
static Value gradientOfLeft(GradientBuilder &g, Value dy, Value b) {
  if (shapeOf(dy).size() == 2 && shapeOf(b).size() == 2)
    return product(g, dy, false, b, true);
  return g.create<MatMulOp>(dy, g.transpose(b));
}

/// A^T * dY for operands of rank 2 or more. One matrix B that meets many batches of A gets its sum
/// over batches from a single product over all rows.
static Value gradientOfRight(GradientBuilder &g, Value a, Value dy, Value b) {
  bool sameBatches = shapeOf(a).drop_back(2) == shapeOf(dy).drop_back(2);
  if (shapeOf(b).size() == 2 && sameBatches)
    return product(g, allRows(g, a), true, allRows(g, dy), false);
  return g.create<MatMulOp>(g.transpose(a), dy);
}

// Vectors become matrices of one row (A) or one column (B), and their gradients vectors again.
TUTTI_ONNX_GRADIENT(MatMulOp) {
  bool row = shapeOf(op.getA()).size() == 1, column = shapeOf(op.getB()).size() == 1;
  Value a = row ? g.unsqueeze(op.getA(), {0}) : op.getA();
  Value b = column ? g.unsqueeze(op.getB(), {1}) : op.getB();
  SmallVector<int64_t> added;
  if (row)
    added.push_back(-2);
  if (column)
    added.push_back(-1);
  Value dy = g.unsqueeze(g.into(), added);
  if (g.wants(0)) {
    Value da = g.sumTo(gradientOfLeft(g, dy, b), a.getType());
    g.give(0, row ? g.squeeze(da, {0}) : da);
  }
  if (g.wants(1)) {
    Value db = g.sumTo(gradientOfRight(g, a, dy, b), b.getType());
    g.give(1, column ? g.squeeze(db, {1}) : db);
  }
  return success();
}
