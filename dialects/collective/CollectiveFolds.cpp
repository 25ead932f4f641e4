// Folds and canonicalization: what is left of communication once it is known that there is no one
// to communicate with, and answers that are known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tutti::collective;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

OpFoldResult SizeOp::fold(FoldAdaptor) {
  std::optional<int64_t> size = lookupGroupSize(*this, getGroupAttr());
  if (!size || !isEveryRankMember(*this, getGroupAttr()))
    return {};
  return IntegerAttr::get(getType(), *size);
}

/// Whether each rank is in a set of its own.
static bool isAlone(Operation *op, FlatSymbolRefAttr group) {
  return lookupGroupSize(op, group) == 1 && isEveryRankMember(op, group);
}

OpFoldResult RankOp::fold(FoldAdaptor) {
  if (!isAlone(*this, getGroupAttr()))
    return {};
  return IntegerAttr::get(getType(), 0);
}

OpFoldResult LocalRankOp::fold(FoldAdaptor) {
  if (lookupWorldSize(*this) != 1)
    return {};
  return IntegerAttr::get(getType(), 0);
}

OpFoldResult LocalSizeOp::fold(FoldAdaptor) {
  if (lookupWorldSize(*this) != 1)
    return {};
  return IntegerAttr::get(getType(), 1);
}

/// What world rank `observer` gets for `rank`, if it is known.
static std::optional<int64_t> translate(int64_t rank, GroupOp from, GroupOp to, int64_t observer) {
  auto source = from.getSetOf(observer), target = to.getSetOf(observer);
  if (!source || !target)
    return std::nullopt;
  if (rank < 0 || rank >= static_cast<int64_t>(source->size()))
    return -1;
  auto found = llvm::find(*target, (*source)[rank]);
  return found == target->end() ? -1 : found - target->begin();
}

/// Folds where every rank gets the same answer.
OpFoldResult TranslateRankOp::fold(FoldAdaptor adaptor) {
  auto rank = dyn_cast_or_null<IntegerAttr>(adaptor.getRank());
  GroupOp from = lookupGroup(*this, getFromAttr()), to = lookupGroup(*this, getToAttr());
  std::optional<int64_t> world = from ? from.getWorldSize() : std::nullopt;
  if (!rank || !to || !world)
    return {};
  std::optional<int64_t> answer = translate(rank.getInt(), from, to, 0);
  for (int64_t observer = 1; answer && observer < *world; ++observer)
    if (translate(rank.getInt(), from, to, observer) != answer)
      return {};
  return answer ? OpFoldResult(IntegerAttr::get(getType(), *answer)) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Collectives of one rank
//===----------------------------------------------------------------------===//

namespace {

/// Where what replaces `op` goes: the body of an async holds communication only.
Operation *getPlaceOutsideAsync(Operation *op) {
  Operation *parent = op->getParentOp();
  return isa_and_nonnull<AsyncOp>(parent) ? parent : op;
}

/// A collective of one rank gives every input back.
struct DropCollectiveOfOneRank : OpInterfaceRewritePattern<BucketOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(BucketOpInterface op, PatternRewriter &rewriter) const override {
    if (!isAlone(op, op.getGroupAttr()) || op->hasAttr(kFuture))
      return failure();
    rewriter.setInsertionPoint(getPlaceOutsideAsync(op));
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

/// A group of one rank has no one to wait for.
struct DropBarrierOfOneRank : OpRewritePattern<BarrierOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BarrierOp op, PatternRewriter &rewriter) const override {
    if (!isAlone(op, op.getGroupAttr()) || op->hasAttr(kFuture))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

/// Whether all counts are zero.
bool areZero(Value counts) { return matchPattern(counts, m_Zero()); }

/// Where all ranks know that nothing is sent, nothing is received. On the whole world they all come
/// here, and a constant is the same on every one. On a smaller group some may come elsewhere, and
/// compute their zeros.
template <typename Op> struct DropEmptyExchange : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  static bool isEmpty(AllToAllVCOp op) { return areZero(op.getCounts()); }
  static bool isEmpty(AllToAllVOp op) {
    return areZero(op.getSendCounts()) && areZero(op.getReceiveCounts());
  }

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    GroupOp group = lookupGroup(op, op.getGroupAttr());
    if (!isEmpty(op) || op->hasAttr(kFuture) || !group || !group.isWholeWorld())
      return failure();
    if (op.getResult())
      rewriter.replaceOp(op, op.getInit());
    else
      rewriter.eraseOp(op);
    return success();
  }
};

/// Nothing is left to wait for.
struct DropEmptyAsync : OpRewritePattern<AwaitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AwaitOp op, PatternRewriter &rewriter) const override {
    auto async = op.getFuture().getDefiningOp<AsyncOp>();
    if (!async || !async.getBody().front().without_terminator().empty())
      return failure();
    rewriter.replaceOp(op, async.getBody().front().getTerminator()->getOperands());
    return success();
  }
};

/// What nobody uses is not started, if it may be dropped at all.
struct DropUnusedAsync : OpRewritePattern<AwaitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AwaitOp op, PatternRewriter &rewriter) const override {
    auto async = op.getFuture().getDefiningOp<AsyncOp>();
    if (!async || op.getOutputs().empty() || !op->use_empty() || !wouldOpBeTriviallyDead(async))
      return failure();
    rewriter.eraseOp(op);
    rewriter.eraseOp(async);
    return success();
  }
};

} // namespace

void CollectiveDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<DropCollectiveOfOneRank, DropBarrierOfOneRank, DropEmptyExchange<AllToAllVOp>,
               DropEmptyExchange<AllToAllVCOp>, DropEmptyAsync, DropUnusedAsync>(
      patterns.getContext());
}
