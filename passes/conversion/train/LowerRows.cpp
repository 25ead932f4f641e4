// Operations on lists of rows as kernel calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/train/Train.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/train/LowerTrain.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::train;
using tutti::kernel::createKernel;

namespace {

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
    auto scatter = createKernel<tutti::kernel::ScatterRowsOp>(
        builder, op.getLoc(), op.getOperands(), createEmpty(builder, type));
    rewriter.replaceOp(op, scatter.getResults());
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
    Value outputs[] = {createEmpty(builder, tensorType(op.getMergedIndices())),
                       createEmpty(builder, merged)};
    auto merge = createKernel<tutti::kernel::MergeRowsOp>(builder, op.getLoc(), op.getOperands(),
                                                          outputs, op.getTableRows());
    rewriter.replaceOp(op, merge.getResults());
    return success();
  }
};

struct LowerGatherRows : OpRewritePattern<GatherRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherRowsOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto gather = createKernel<tutti::kernel::GatherRowsOp>(
        builder, op.getLoc(), op.getOperands(), createEmpty(builder, tensorType(op.getRows())),
        /*axis=*/0, /*unused=*/true);
    rewriter.replaceOp(op, gather.getResults());
    return success();
  }
};

struct LowerScatterUpdateRows : OpRewritePattern<ScatterUpdateRowsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterUpdateRowsOp op, PatternRewriter &rewriter) const override {
    auto update = createKernel<tutti::kernel::ScatterUpdateRowsOp>(
        rewriter, op.getLoc(), {op.getIndices(), op.getRows()}, op.getTable());
    rewriter.replaceOp(op, update.getResults());
    return success();
  }
};

} // namespace

void tutti::conversion::populateRowsPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerScatterRows, LowerMergeRows, LowerGatherRows, LowerScatterUpdateRows>(
      patterns.getContext());
}
