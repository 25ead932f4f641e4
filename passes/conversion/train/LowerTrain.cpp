// The pass lower-train: optimizers and the other ops of the train dialect become loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/train/LowerTrain.h"

#include "dialects/train/Train.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/Passes.h"
#include "passes/conversion/ScalarMath.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <limits>

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::train;

namespace tutti::conversion {
#define GEN_PASS_DEF_LOWERTRAINPASS
#include "passes/conversion/Passes.h.inc"
} // namespace tutti::conversion

namespace {

/// What only says something of its operand.
template <typename Op> struct LowerToOperand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperand(0));
    return success();
  }
};

struct LowerFullLike : OpRewritePattern<FullLikeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FullLikeOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getResult());
    auto value = rewriter.getFloatAttr(type.getElementType(), op.getValue().convertToDouble());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, SplatElementsAttr::get(type, value));
    return success();
  }
};

struct LowerScale : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScaleOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getResult());
    rewriter.replaceOp(
        op, createElementwise(builder, type, {op.getInput(), op.getFactor()},
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                                return {ScalarMath(b, type.getElementType()).mul(in[0], in[1])};
                              }));
    return success();
  }
};

/// Finds the place of the first largest score of each row, then compares it with the label.
struct LowerAccuracy : OpRewritePattern<AccuracyOp> {
  using OpRewritePattern::OpRewritePattern;

  static Value createArgmax(ImplicitLocOpBuilder &builder, Value scores, Type indexType) {
    RankedTensorType type = tensorType(scores);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      ScalarMath s(b, type.getElementType());
      Value column = arith::IndexCastOp::create(b, indexType, linalg::IndexOp::create(b, 1));
      Value better = s.less(in[1], in[0]);
      return {s.select(better, in[0], in[1]), s.select(better, column, in[2])};
    };
    double lowest = -std::numeric_limits<double>::infinity();
    return createReduction(builder, type.getShape(), {0}, scores, builder.getMultiDimIdentityMap(2),
                           {type.getElementType(), indexType}, {lowest, 0}, body)[1];
  }

  LogicalResult matchAndRewrite(AccuracyOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getResult());
    Value best = createArgmax(builder, op.getScores(), tensorType(op.getLabels()).getElementType());
    rewriter.replaceOp(
        op, createElementwise(builder, type, {best, op.getLabels()},
                              [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                                Value right = ScalarMath(b, in[0].getType()).equal(in[0], in[1]);
                                return {castScalar(b, right, type.getElementType())};
                              }));
    return success();
  }
};

/// Roles of values are of tensors; what becomes of these would carry them on.
void dropRoles(Operation *function) {
  auto gradient = StringAttr::get(function->getContext(), TrainDialect::kGradient);
  auto random = StringAttr::get(function->getContext(), TrainDialect::kRandom);
  function->walk([&](Operation *op) {
    op->removeDiscardableAttr(gradient);
    op->removeDiscardableAttr(random);
  });
}

struct LowerTrainPass : tutti::conversion::impl::LowerTrainPassBase<LowerTrainPass> {
  void runOnOperation() override {
    dropRoles(getOperation());
    RewritePatternSet patterns(&getContext());
    populateOptimizerPatterns(patterns);
    populateMicroBatchPatterns(patterns);
    populateGradientPatterns(patterns);
    populateRowsPatterns(patterns);
    patterns.add<LowerToOperand<MarkGradientOp>, LowerFullLike, LowerScale, LowerAccuracy>(
        &getContext());
    // What distribution left is of one device, whose part is the whole batch.
    patterns.add<LowerToOperand<BatchTotalOp>, LowerToOperand<BatchShareOp>,
                 LowerToOperand<BatchSumOp>, LowerToOperand<BatchGatherOp>,
                 LowerToOperand<BatchPieceOp>, LowerToOperand<BatchScatterOp>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult left = getOperation().walk([](Operation *op) {
      if (!isa_and_nonnull<TrainDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("cannot be compiled: ")
          << (isa<ScatterRowsOp, MergeRowsOp>(op) ? "rows are added in f32 and f64 only"
                                                  : "it must have been rewritten before lowering");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
