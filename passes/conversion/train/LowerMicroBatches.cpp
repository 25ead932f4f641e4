// Micro-batches, and pieces of values, become slices of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"
#include "passes/conversion/train/LowerTrain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tutti::train;

namespace {

/// Where a part lies in the whole, and what it takes of it.
struct PartOfRows {
  PartOfRows(ImplicitLocOpBuilder &builder, Value index, RankedTensorType part, int64_t axis = 0) {
    Value rows = arith::ConstantIndexOp::create(builder, part.getDimSize(axis));
    Value first = arith::MulIOp::create(builder, index, rows);
    offsets.assign(part.getRank(), builder.getIndexAttr(0));
    offsets[axis] = first;
    for (int64_t size : part.getShape())
      sizes.push_back(builder.getIndexAttr(size));
    strides.assign(part.getRank(), builder.getIndexAttr(1));
  }
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

struct LowerMicroBatch : OpRewritePattern<MicroBatchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MicroBatchOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = op.getPart().getType();
    PartOfRows part(builder, op.getIndex(), type);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, type, op.getBatch(), part.offsets,
                                                        part.sizes, part.strides);
    return success();
  }
};

struct LowerPiece : OpRewritePattern<PieceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PieceOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = op.getResult().getType();
    PartOfRows part(builder, op.getIndex(), type, op.getAxis());
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, type, op.getWhole(), part.offsets,
                                                        part.sizes, part.strides);
    return success();
  }
};

struct LowerPutMicroBatch : OpRewritePattern<PutMicroBatchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PutMicroBatchOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    PartOfRows part(builder, op.getIndex(), op.getPart().getType());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(op, op.getPart(), op.getWhole(),
                                                       part.offsets, part.sizes, part.strides);
    return success();
  }
};

struct LowerZeroBatch : OpRewritePattern<ZeroBatchOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ZeroBatchOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(rewriter.getZeroAttr(op.getResult().getType())));
    return success();
  }
};

} // namespace

void tutti::conversion::populateMicroBatchPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMicroBatch, LowerPiece, LowerPutMicroBatch, LowerZeroBatch>(
      patterns.getContext());
}
