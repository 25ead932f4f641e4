// Lookups, joining and cutting as kernel calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "lib/program/plan/Plan.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/onnx/LowerOnnx.h"

using namespace mlir;
using namespace tutti::conversion;
using tutti::kernel::CopyBlocksOp;
using tutti::kernel::createKernel;
using namespace tutti::onnx;

namespace {

struct LowerGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto gather = createKernel<tutti::kernel::GatherRowsOp>(
        builder, op.getLoc(), {op.getData(), op.getIndices()},
        createEmpty(builder, tensorType(op.getOutput())), op.getGatheredAxis(), /*unused=*/false);
    rewriter.replaceOp(op, gather.getResults());
    return success();
  }
};

/// A tensor seen as `blocks` blocks of `bytes`, each of which holds parts of other tensors.
struct Blocks {
  int64_t blocks = 1, bytes;

  Blocks(RankedTensorType type, int64_t axis)
      : bytes(tutti::program::bytesOfType(type.getElementType())) {
    for (auto [i, size] : llvm::enumerate(type.getShape()))
      (static_cast<int64_t>(i) < axis ? blocks : bytes) *= size;
  }
};

int64_t countedFromZero(int64_t axis, RankedTensorType type) {
  return axis < 0 ? axis + type.getRank() : axis;
}

/// `whole` with `part` written after the first `offset` bytes of each block.
Value createInsertion(ImplicitLocOpBuilder &builder, Value part, Value whole, int64_t offset,
                      int64_t axis) {
  Blocks from(tensorType(part), axis), to(tensorType(whole), axis);
  return createKernel<CopyBlocksOp>(builder, builder.getLoc(), part, whole, from.bytes, from.blocks,
                                    from.bytes, 0, to.bytes, offset, /*keeps=*/true)
      .getResult(0);
}

/// What comes after the first `offset` bytes of each block of `whole`.
Value createExtraction(ImplicitLocOpBuilder &builder, Value whole, RankedTensorType type,
                       int64_t offset, int64_t axis) {
  Blocks from(tensorType(whole), axis), to(type, axis);
  return createKernel<CopyBlocksOp>(builder, builder.getLoc(), whole, createEmpty(builder, type),
                                    to.bytes, to.blocks, from.bytes, offset, to.bytes, 0,
                                    /*keeps=*/false)
      .getResult(0);
}

struct LowerConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getConcatResult());
    int64_t axis = countedFromZero(op.getAxis(), type), offset = 0;
    Value whole = createEmpty(builder, type);
    for (Value part : op.getInputs()) {
      whole = createInsertion(builder, part, whole, offset, axis);
      offset += Blocks(tensorType(part), axis).bytes;
    }
    rewriter.replaceOp(op, whole);
    return success();
  }
};

struct LowerSplit : OpRewritePattern<SplitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SplitOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    int64_t axis = countedFromZero(op.getAxis(), tensorType(op.getInput())), offset = 0;
    SmallVector<Value> parts;
    for (Value output : op.getOutputs()) {
      RankedTensorType type = tensorType(output);
      parts.push_back(createExtraction(builder, op.getInput(), type, offset, axis));
      offset += Blocks(type, axis).bytes;
    }
    rewriter.replaceOp(op, parts);
    return success();
  }
};

} // namespace

Value tutti::conversion::createInsertionAt(ImplicitLocOpBuilder &builder, Value part, Value whole,
                                           int64_t first, int64_t axis) {
  Blocks blocks(tensorType(part), axis);
  int64_t bytes = blocks.bytes / tensorType(part).getDimSize(axis);
  return createInsertion(builder, part, whole, first * bytes, axis);
}

Value tutti::conversion::createExtractionAt(ImplicitLocOpBuilder &builder, Value whole,
                                            RankedTensorType type, int64_t first, int64_t axis) {
  int64_t bytes = Blocks(type, axis).bytes / type.getDimSize(axis);
  return createExtraction(builder, whole, type, first * bytes, axis);
}

void tutti::conversion::populatePartsPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGather, LowerConcat, LowerSplit>(patterns.getContext());
}
