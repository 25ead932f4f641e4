// MatMul and Gemm as calls of the matrix kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/Dialect/Traits.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

/// The attributes of kernel.matmul.
struct MatrixProduct {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transposesA = false, transposesB = false;
  int64_t strideA = 0, strideB = 0;
  float alpha = 1;

  Value create(ImplicitLocOpBuilder &builder, Value a, Value b, RankedTensorType type) const {
    return tutti::kernel::createKernel<tutti::kernel::MatmulOp>(
               builder, builder.getLoc(), {a, b}, createEmpty(builder, type), m, n, k, batch,
               transposesA, transposesB, strideA, strideB, APFloat(alpha))
        .getResult(0);
  }
};

int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Repeats `value` along its batch dimensions (all but the last two) so that they become `batch`.
Value broadcastBatch(ImplicitLocOpBuilder &builder, Value value, ArrayRef<int64_t> batch) {
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, type.getShape().take_back(2));
  if (type.getShape() == ArrayRef<int64_t>(shape))
    return value;
  return createElementwise(
      builder, RankedTensorType::get(shape, type.getElementType()), value,
      [](ImplicitLocOpBuilder &, ValueRange in) -> SmallVector<Value> { return {in[0]}; });
}

struct LowerMatMul : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;

  /// A row or a column where the operand has rank 1.
  static Value asMatrix(ImplicitLocOpBuilder &builder, Value value, bool isLeft) {
    ArrayRef<int64_t> shape = tensorType(value).getShape();
    if (shape.size() > 1)
      return value;
    return createReshape(builder, value,
                         isLeft ? ArrayRef<int64_t>{1, shape[0]} : ArrayRef<int64_t>{shape[0], 1});
  }

  LogicalResult matchAndRewrite(MatMulOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getY());
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value a = asMatrix(builder, op.getA(), true), b = asMatrix(builder, op.getB(), false);
    rewriter.replaceOp(op, createReshape(builder, multiply(builder, a, b, type), type.getShape()));
    return success();
  }

  /// a and b have rank 2 or more.
  static Value multiply(ImplicitLocOpBuilder &builder, Value a, Value b, RankedTensorType result) {
    ArrayRef<int64_t> shapeA = tensorType(a).getShape(), shapeB = tensorType(b).getShape();
    MatrixProduct matrix;
    matrix.m = shapeA[shapeA.size() - 2];
    matrix.k = shapeA.back();
    matrix.n = shapeB.back();
    ArrayRef<int64_t> batchA = shapeA.drop_back(2), batchB = shapeB.drop_back(2);
    if (product(batchB) == 1) {
      matrix.m *= product(batchA); // one matrix B for all: its rows of A are one tall matrix
    } else {
      SmallVector<int64_t> batch = broadcastShape(batchA, batchB);
      matrix.batch = product(batch);
      if (product(batchA) != 1)
        a = broadcastBatch(builder, a, batch);
      b = broadcastBatch(builder, b, batch);
      matrix.strideA = product(batchA) == 1 ? 0 : matrix.m * matrix.k;
      matrix.strideB = matrix.k * matrix.n;
    }
    auto type = RankedTensorType::get({matrix.batch, matrix.m, matrix.n}, result.getElementType());
    return matrix.create(builder, a, b, type);
  }

  static SmallVector<int64_t> broadcastShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    SmallVector<int64_t> result;
    OpTrait::util::getBroadcastedShape(a, b, result); // verified: they do
    return result;
  }
};

struct LowerGemm : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getY());
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    MatrixProduct matrix;
    matrix.transposesA = op.getTransA() != 0;
    matrix.transposesB = op.getTransB() != 0;
    matrix.m = type.getDimSize(0);
    matrix.n = type.getDimSize(1);
    matrix.k = tensorType(op.getA()).getDimSize(matrix.transposesA ? 0 : 1);
    matrix.alpha = op.getAlpha().convertToFloat();
    Value result = matrix.create(builder, op.getA(), op.getB(), type);
    float beta = op.getBeta().convertToFloat();
    if (op.getC() && beta != 0)
      result = addScaled(builder, result, op.getC(), beta);
    rewriter.replaceOp(op, result);
    return success();
  }

  static Value addScaled(ImplicitLocOpBuilder &builder, Value a, Value b, float factor) {
    RankedTensorType type = tensorType(a);
    return createElementwise(
        builder, type, {a, b},
        [&](ImplicitLocOpBuilder &nested, ValueRange in) -> SmallVector<Value> {
          ScalarMath s(nested, type.getElementType());
          Value scaled = factor == 1 ? in[1] : s.mul(in[1], s.constant(factor));
          return {s.add(in[0], scaled)};
        });
  }
};

} // namespace

void tutti::conversion::populateMatrixPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMatMul, LowerGemm>(patterns.getContext());
}
