// Two collectives that are one, and one that is two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/Simplifications.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using tutti::communication::Counts;
using tutti::communication::isPlain;

bool communication::isPlain(BucketOpInterface op) {
  return op.getDestinations().empty() && op.getInputs().size() == 1 && !op->hasAttr(kFuture) &&
         !isa<AsyncOp>(op->getParentOp());
}

static bool isFloat(Value tensor) {
  return isa<FloatType>(cast<ShapedType>(tensor.getType()).getElementType());
}

/// The collective that gives `value`, of this kind and with no other use.
template <typename Op> static Op findOnly(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && value.hasOneUse() && isPlain(op) ? op : Op();
}

namespace {

/// A pattern that counts what it does, and knows what it may change and move.
template <typename Op> struct Merge : OpRewritePattern<Op> {
  Merge(MLIRContext *context, const CollectiveMotion &motion, bool reassociate, unsigned &count)
      : OpRewritePattern<Op>(context), motion(motion), reassociate(reassociate), count(count) {}
  const CollectiveMotion &motion;
  bool reassociate;
  unsigned &count;
};

//===----------------------------------------------------------------------===//
// all_reduce and the own part of it: reduce_scatter
//===----------------------------------------------------------------------===//

struct ScatterSlicedReduction : Merge<tensor::ExtractSliceOp> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp slice,
                                PatternRewriter &rewriter) const override {
    auto reduce = findOnly<AllReduceOp>(slice.getSource());
    std::optional<int64_t> axis = reduce ? findAxis(slice, reduce) : std::nullopt;
    if (!axis || !motion.mayMove(reduce, slice))
      return failure();
    rewriter.replaceOpWithNewOp<ReduceScatterOp>(
        slice, TypeRange(slice.getType()), reduce.getReductionAttr(),
        rewriter.getI64IntegerAttr(*axis), reduce.getInputs(), ValueRange(), reduce.getGroupAttr());
    rewriter.eraseOp(reduce);
    ++count;
    return success();
  }

private:
  /// The one dimension that is cut, into as many parts as the group has ranks, of which `slice` is
  /// the one of this rank.
  static std::optional<int64_t> findAxis(tensor::ExtractSliceOp slice, AllReduceOp reduce) {
    auto whole = slice.getSourceType(), part = slice.getType();
    std::optional<int64_t> size = lookupGroupSize(reduce, reduce.getGroupAttr());
    if (!size || !whole.hasStaticShape() || whole.getRank() != part.getRank() ||
        part.getShape() != ArrayRef(slice.getStaticSizes()) || !slice.hasUnitStride())
      return std::nullopt;
    std::optional<int64_t> axis;
    for (auto [i, offset] : llvm::enumerate(slice.getMixedOffsets())) {
      if (isConstantIntValue(offset, 0) && whole.getDimSize(i) == part.getDimSize(i))
        continue;
      bool isOwnPart = part.getDimSize(i) * *size == whole.getDimSize(i) &&
                       isRankTimes(offset, part.getDimSize(i), reduce);
      if (axis || !isOwnPart)
        return std::nullopt;
      axis = i;
    }
    return axis;
  }

  /// Whether `value` is the rank in the set of the group that `reduce` means.
  static bool isRank(Value value, AllReduceOp reduce) {
    auto rank = value.getDefiningOp<RankOp>();
    return rank && rank.getGroupAttr() == reduce.getGroupAttr() &&
           meansSameRanks(reduce.getGroupAttr(), rank, reduce);
  }

  static bool isRankTimes(OpFoldResult offset, int64_t length, AllReduceOp reduce) {
    auto value = dyn_cast<Value>(offset);
    if (!value)
      return false;
    Operation *product = value.getDefiningOp();
    if (!isa_and_nonnull<arith::MulIOp, index::MulOp>(product))
      return length == 1 && isRank(value, reduce);
    Value one = product->getOperand(0), other = product->getOperand(1);
    return (isRank(one, reduce) && getConstantIntValue(other) == length) ||
           (isRank(other, reduce) && getConstantIntValue(one) == length);
  }
};

//===----------------------------------------------------------------------===//
// reduce_scatter and all_gather: all_reduce
//===----------------------------------------------------------------------===//

struct JoinScatterAndGather : Merge<AllGatherOp> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(AllGatherOp gather, PatternRewriter &rewriter) const override {
    if (!isPlain(gather))
      return failure();
    auto scatter = findOnly<ReduceScatterOp>(gather.getInputs().front());
    if (!scatter || scatter.getAxis() != gather.getAxis() ||
        scatter.getGroupAttr() != gather.getGroupAttr() || !mayJoin(scatter, gather) ||
        scatter.getInputs().front().getType() != gather.getOutputs().front().getType())
      return failure();
    rewriter.replaceOpWithNewOp<AllReduceOp>(gather, scatter.getReduction(), scatter.getInputs(),
                                             gather.getGroupAttr());
    rewriter.eraseOp(scatter);
    ++count;
    return success();
  }

private:
  bool mayJoin(ReduceScatterOp scatter, AllGatherOp gather) const {
    return motion.getReasonToStay(gather).empty() && motion.mayMove(scatter, gather);
  }
};

struct SplitReduction : Merge<AllReduceOp> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(AllReduceOp reduce, PatternRewriter &rewriter) const override {
    std::optional<int64_t> size = lookupGroupSize(reduce, reduce.getGroupAttr());
    if (!isPlain(reduce) || !motion.getReasonToStay(reduce).empty() || !size || *size == 1)
      return failure();
    auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
    if (type.getRank() == 0 || type.isDynamicDim(0) || type.getDimSize(0) % *size != 0 ||
        type.getDimSize(0) == 0)
      return failure();
    SmallVector<int64_t> part(type.getShape());
    part[0] /= *size;
    auto scatter = ReduceScatterOp::create(rewriter, reduce.getLoc(), TypeRange(type.clone(part)),
                                           reduce.getReductionAttr(), rewriter.getI64IntegerAttr(0),
                                           reduce.getInputs(), ValueRange(), reduce.getGroupAttr());
    rewriter.replaceOpWithNewOp<AllGatherOp>(reduce, TypeRange(type), rewriter.getI64IntegerAttr(0),
                                             scatter.getOutputs(), ValueRange(),
                                             reduce.getGroupAttr());
    ++count;
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The sum of two reductions: the reduction of the sum
//===----------------------------------------------------------------------===//

template <typename AddOp> struct AddBeforeReduction : Merge<AddOp> {
  using Merge<AddOp>::Merge;

  LogicalResult matchAndRewrite(AddOp add, PatternRewriter &rewriter) const override {
    auto one = findOnly<AllReduceOp>(add.getLhs()), other = findOnly<AllReduceOp>(add.getRhs());
    if (!one || !other || one.getGroupAttr() != other.getGroupAttr() ||
        one.getReduction() != other.getReduction())
      return failure();
    bool isLinear =
        one.getReduction() == ReductionKind::sum || one.getReduction() == ReductionKind::mean;
    if (!isLinear || (isFloat(add.getResult()) && !this->reassociate))
      return failure();
    if (!this->motion.mayMove(one, add) || !this->motion.mayMove(other, add))
      return failure();
    auto sum =
        AddOp::create(rewriter, add.getLoc(), one.getInputs().front(), other.getInputs().front());
    rewriter.replaceOpWithNewOp<AllReduceOp>(add, one.getReduction(), ValueRange(sum.getResult()),
                                             one.getGroupAttr());
    rewriter.eraseOp(one);
    rewriter.eraseOp(other);
    ++this->count;
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Within the rows of a grid, then along its columns: over the world
//===----------------------------------------------------------------------===//

struct JoinNestedReductions : Merge<AllReduceOp> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(AllReduceOp outer, PatternRewriter &rewriter) const override {
    if (!isPlain(outer))
      return failure();
    auto inner = findOnly<AllReduceOp>(outer.getInputs().front());
    if (!inner || inner.getReduction() != outer.getReduction() || !mayReorder(outer) ||
        !motion.getReasonToStay(outer).empty() || !motion.mayMove(inner, outer))
      return failure();
    FlatSymbolRefAttr world = findWorld(outer);
    if (!world || !doCover(lookupGroup(inner, inner.getGroupAttr()),
                           lookupGroup(outer, outer.getGroupAttr())))
      return failure();
    rewriter.replaceOpWithNewOp<AllReduceOp>(outer, outer.getReduction(), inner.getInputs(), world);
    rewriter.eraseOp(inner);
    ++count;
    return success();
  }

private:
  bool mayReorder(AllReduceOp op) const {
    ReductionKind kind = op.getReduction();
    return kind == ReductionKind::min || kind == ReductionKind::max || reassociate ||
           !isFloat(op.getInputs().front());
  }

  static FlatSymbolRefAttr findWorld(Operation *user) {
    Operation *table = SymbolTable::getNearestSymbolTable(user);
    for (auto group : table->getRegion(0).getOps<GroupOp>())
      if (!group.getMembers())
        return FlatSymbolRefAttr::get(group);
    return {};
  }

  /// Whether the inner sets of all ranks of an outer set are the world, each once.
  static bool doCover(GroupOp inner, GroupOp outer) {
    if (areRowsAndColumns(inner.getMembersAttr(), outer.getMembersAttr()))
      return true;
    std::optional<int64_t> world = inner.getWorldSize();
    for (int64_t rank = 0; world && rank < *world; ++rank)
      if (!doesCoverFrom(rank, inner, outer, *world))
        return false;
    return world.has_value();
  }

  /// Rows and columns of a grid of any number of rows.
  static bool areRowsAndColumns(Attribute inner, Attribute outer) {
    auto crosses = [](Attribute one, Attribute other) {
      auto blocks = dyn_cast_or_null<BlocksAttr>(one);
      auto strided = dyn_cast_or_null<StridedAttr>(other);
      return blocks && strided && blocks.getLength() == strided.getStride();
    };
    return crosses(inner, outer) || crosses(outer, inner);
  }

  static bool doesCoverFrom(int64_t rank, GroupOp inner, GroupOp outer, int64_t world) {
    std::optional<SmallVector<int64_t>> column = outer.getSetOf(rank);
    if (!column || column->empty())
      return false;
    llvm::SmallDenseSet<int64_t> seen;
    size_t length = 0;
    for (int64_t member : *column) {
      std::optional<SmallVector<int64_t>> row = inner.getSetOf(member);
      if (!row || row->empty() || (length && row->size() != length))
        return false;
      length = row->size();
      for (int64_t covered : *row)
        if (!seen.insert(covered).second)
          return false;
    }
    return static_cast<int64_t>(seen.size()) == world;
  }
};

} // namespace

void communication::addMergePatterns(RewritePatternSet &patterns, const CollectiveMotion &motion,
                                     bool reassociate, bool splitAllReduce, Counts &counts) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ScatterSlicedReduction>(context, motion, reassociate, counts.scattered);
  patterns.add<AddBeforeReduction<arith::AddFOp>, AddBeforeReduction<arith::AddIOp>>(
      context, motion, reassociate, counts.added);
  patterns.add<JoinNestedReductions>(context, motion, reassociate, counts.unnested);
  if (splitAllReduce)
    patterns.add<SplitReduction>(context, motion, reassociate, counts.split);
  else
    patterns.add<JoinScatterAndGather>(context, motion, reassociate, counts.joined);
}
