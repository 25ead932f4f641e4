// Micro-batches on the way down.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/MicroBatches.h"

#include "passes/lowering/LinalgBuilders.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tutti::lowering;
using namespace tutti::train;

static LogicalResult emitIndivisible(MicroBatchOp op, InputAttr input,
                                     const tutti::execution::BatchShare &share) {
  return mlir::emitError(op.getLoc())
         << op.getParts() << " micro-batches do not divide the " << share.localBatch
         << " samples of " << input.getDataset() << " that a rank takes (global batch "
         << share.globalBatch << ", " << share.ranks << (share.ranks == 1 ? " rank" : " ranks")
         << "); change one of the three";
}

LogicalResult tutti::lowering::checkMicroBatches(func::FuncOp function, const BatchShares &shares) {
  WalkResult walked = function.walk([&](MicroBatchOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getBatch());
    auto input =
        argument && argument.getOwner() == &function.getBody().front()
            ? function.getArgAttrOfType<InputAttr>(argument.getArgNumber(), TrainDialect::kInput)
            : InputAttr();
    if (!input)
      return WalkResult::advance();
    auto share = shares.find(input.getDataset().getAttr());
    if (share == shares.end() || share->second.localBatch % op.getParts() == 0)
      return WalkResult::advance();
    (void)emitIndivisible(op, input, share->second);
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

MicroBatchOp tutti::lowering::findMicroBatch(Operation *op) {
  for (Block *block = op->getBlock(); block; block = block->getParentOp()->getBlock()) {
    auto parts = block->getOps<MicroBatchOp>();
    if (!parts.empty())
      return *parts.begin();
  }
  return {};
}

Type tutti::lowering::typeOfPart(Type whole, int64_t parts) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape[0]))
    shape[0] /= parts;
  return type.clone(shape);
}

namespace {

/// Where a part lies in the whole, and what it takes of it.
struct PartOfRows {
  PartOfRows(ImplicitLocOpBuilder &builder, Value index, RankedTensorType part) {
    Value rows = arith::ConstantIndexOp::create(builder, part.getDimSize(0));
    Value first = arith::MulIOp::create(builder, index, rows);
    offsets.assign(part.getRank(), builder.getIndexAttr(0));
    offsets[0] = first;
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

void tutti::lowering::populateMicroBatchPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMicroBatch, LowerPutMicroBatch, LowerZeroBatch>(patterns.getContext());
}
