// Folds and canonicalization: what is left of a collective once its group is known to be one rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tutti::collective;

OpFoldResult SizeOp::fold(FoldAdaptor) {
  std::optional<int64_t> size = lookupGroupSize(*this, getGroupAttr());
  if (!size)
    return {};
  return IntegerAttr::get(getType(), *size);
}

OpFoldResult RankOp::fold(FoldAdaptor) {
  if (lookupGroupSize(*this, getGroupAttr()) != 1)
    return {};
  return IntegerAttr::get(getType(), 0);
}

namespace {

/// A collective of one rank gives every input back.
struct DropCollectiveOfOneRank : OpInterfaceRewritePattern<BucketOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(BucketOpInterface op, PatternRewriter &rewriter) const override {
    if (lookupGroupSize(op, op.getGroupAttr()) != 1)
      return failure();
    for (auto [source, destination] : llvm::zip(op.getInputs(), op.getDestinations()))
      if (source != destination)
        memref::CopyOp::create(rewriter, op.getLoc(), source, destination);
    SmallVector<Value> outputs;
    for (auto [input, output] : llvm::zip(op.getInputs(), op.getOutputs())) {
      bool same = input.getType() == output.getType();
      outputs.push_back(
          same ? input : tensor::CastOp::create(rewriter, op.getLoc(), output.getType(), input));
    }
    rewriter.replaceOp(op, outputs);
    return success();
  }
};

/// One rank waits for nobody.
struct DropBarrierOfOneRank : OpRewritePattern<BarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BarrierOp op, PatternRewriter &rewriter) const override {
    if (lookupGroupSize(op, op.getGroupAttr()) != 1)
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void CollectiveDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<DropCollectiveOfOneRank, DropBarrierOfOneRank>(patterns.getContext());
}
