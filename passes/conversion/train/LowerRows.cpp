// Operations on lists of rows as kernel calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/train/Train.h"
#include "lib/program/Plan.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/RowCalls.h"
#include "passes/conversion/train/LowerTrain.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::train;

namespace {

/// Elements of one row of a table or list.
int64_t rowElements(RankedTensorType type) {
  return RankedTensorType::get(type.getShape().drop_front(), type.getElementType())
      .getNumElements();
}

/// Fails where the kernels cannot add.
LogicalResult requireSummable(Operation *op, RankedTensorType type, PatternRewriter &rewriter) {
  if (type.getElementType().isF32() || type.getElementType().isF64())
    return success();
  return rewriter.notifyMatchFailure(op, "rows are added in f32 and f64 only");
}

struct LowerScatterRows : OpRewritePattern<ScatterRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterRowsOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getTable());
    if (failed(requireSummable(op, type, rewriter)))
      return failure();
    SmallVector<int64_t> parameters = {
        tutti::program::numberOfType(type.getElementType()), type.getDimSize(0), rowElements(type),
        tensorType(op.getIndices()).getDimSize(0), indexBytes(op.getIndices())};
    rewriter.replaceOpWithNewOp<tutti::kernel::CallOp>(
        op, "tutti_scatter_rows", ValueRange{op.getIndices(), op.getRows()},
        ValueRange{createEmpty(builder, type)}, parameters);
    return success();
  }
};

struct LowerMergeRows : OpRewritePattern<MergeRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MergeRowsOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getRows()), merged = tensorType(op.getMergedRows());
    if (failed(requireSummable(op, type, rewriter)))
      return failure();
    SmallVector<int64_t> parameters = {tutti::program::numberOfType(type.getElementType()),
                                       static_cast<int64_t>(op.getTableRows()),
                                       rowElements(type),
                                       type.getDimSize(0),
                                       merged.getDimSize(0),
                                       indexBytes(op.getIndices()),
                                       op.getCount() != nullptr};
    Value outputs[] = {createEmpty(builder, tensorType(op.getMergedIndices())),
                       createEmpty(builder, merged)};
    rewriter.replaceOpWithNewOp<tutti::kernel::CallOp>(op, "tutti_merge_rows", op.getOperands(),
                                                       outputs, parameters);
    return success();
  }
};

struct LowerGatherRows : OpRewritePattern<GatherRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherRowsOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createGatherRows(builder, op.getTable(), op.getIndices(),
                                            tensorType(op.getRows()), /*axis=*/0, /*unused=*/true));
    return success();
  }
};

struct LowerScatterUpdateRows : OpRewritePattern<ScatterUpdateRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterUpdateRowsOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getTable());
    int64_t bytes = tutti::program::bytesOfType(type.getElementType());
    SmallVector<int64_t> parameters = {type.getDimSize(0), rowElements(type) * bytes,
                                       tensorType(op.getIndices()).getDimSize(0),
                                       indexBytes(op.getIndices())};
    rewriter.replaceOpWithNewOp<tutti::kernel::CallOp>(
        op, "tutti_scatter_update_rows", ValueRange{op.getIndices(), op.getRows()},
        ValueRange{op.getTable()}, parameters, /*accumulates=*/true);
    return success();
  }
};

} // namespace

void tutti::conversion::populateRowsPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerScatterRows, LowerMergeRows, LowerGatherRows, LowerScatterUpdateRows>(
      patterns.getContext());
}
