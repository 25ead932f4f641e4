// Two collectives that are one, and one that is two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/ranks/Communication.h"
#include "passes/communication/Simplifications.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using tutti::communication::Counts;
using tutti::communication::isPlain;

bool communication::isPlain(BucketOpInterface op) {
  return op.getDestinations().empty() && op.getInputs().size() == 1 && !op->hasAttr(kFuture) &&
         !isStartedApart(op);
}

static bool isFloat(Value tensor) {
  return isa<FloatType>(cast<ShapedType>(tensor.getType()).getElementType());
}

/// The collective that gives `value`, of this kind and with no other use.
static BucketOpInterface findOnly(CommunicationKind kind, Value value) {
  auto op = value.getDefiningOp<BucketOpInterface>();
  return op && isKind(op, {kind}) && value.hasOneUse() && isPlain(op) ? op : BucketOpInterface();
}

/// Puts an operation of `form`, of the dialect of `like`, in the place of `replaced`. Fails where
/// the dialect has none.
static LogicalResult replaceBy(const CommunicationForm &form, Operation *like, ValueRange inputs,
                               Operation *replaced, PatternRewriter &rewriter) {
  const CommunicationDialectInterface *factory = getFactory(like);
  Operation *made = factory ? factory->create(rewriter, replaced->getLoc(), form, inputs,
                                              replaced->getResultTypes())
                            : nullptr;
  if (made)
    rewriter.replaceOp(replaced, made);
  return success(made);
}

namespace {

using Kind = CommunicationKind;

/// The pattern on one operation, or on all that implement an interface.
template <typename Op> struct Rewrite : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
};
template <> struct Rewrite<BucketOpInterface> : OpInterfaceRewritePattern<BucketOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
};

/// A pattern that counts what it does, and knows what it may change and move.
template <typename Op> struct Merge : Rewrite<Op> {
  Merge(MLIRContext *context, const CollectiveMotion &motion, bool reassociate, unsigned &count)
      : Rewrite<Op>(context), motion(motion), reassociate(reassociate), count(count) {}
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
    BucketOpInterface reduce = findOnly(Kind::AllReduce, slice.getSource());
    std::optional<int64_t> axis = reduce ? findAxis(slice, reduce) : std::nullopt;
    if (!axis || !motion.mayMove(reduce, slice))
      return failure();
    CommunicationForm form = *getForm(reduce);
    form.kind = Kind::ReduceScatter;
    form.axis = *axis;
    if (failed(replaceBy(form, reduce, reduce.getInputs(), slice, rewriter)))
      return failure();
    rewriter.eraseOp(reduce);
    ++count;
    return success();
  }

private:
  /// The one dimension that is cut, into as many parts as the group has ranks, of which `slice` is
  /// the one of this rank.
  static std::optional<int64_t> findAxis(tensor::ExtractSliceOp slice, BucketOpInterface reduce) {
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
                       isOffsetOfOwnPart(offset, part.getDimSize(i), reduce);
      if (axis || !isOwnPart)
        return std::nullopt;
      axis = i;
    }
    return axis;
  }
};

//===----------------------------------------------------------------------===//
// reduce_scatter and all_gather: all_reduce
//===----------------------------------------------------------------------===//

struct JoinScatterAndGather : Merge<BucketOpInterface> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(BucketOpInterface gather,
                                PatternRewriter &rewriter) const override {
    if (!isKind(gather, {Kind::AllGather}) || !isPlain(gather))
      return failure();
    BucketOpInterface scatter = findOnly(Kind::ReduceScatter, gather.getInputs().front());
    if (!scatter || getForm(scatter)->axis != getForm(gather)->axis ||
        scatter.getGroupAttr() != gather.getGroupAttr() || !mayJoin(scatter, gather) ||
        scatter.getInputs().front().getType() != gather.getOutputs().front().getType())
      return failure();
    CommunicationForm form = {Kind::AllReduce, gather.getGroupAttr(), getForm(scatter)->reduction};
    if (failed(replaceBy(form, gather, scatter.getInputs(), gather, rewriter)))
      return failure();
    rewriter.eraseOp(scatter);
    ++count;
    return success();
  }

private:
  bool mayJoin(BucketOpInterface scatter, BucketOpInterface gather) const {
    return !motion.whyStays(gather) && motion.mayMove(scatter, gather);
  }
};

struct SplitReduction : Merge<BucketOpInterface> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(BucketOpInterface reduce,
                                PatternRewriter &rewriter) const override {
    const CommunicationDialectInterface *factory = getFactory(reduce);
    if (!isKind(reduce, {Kind::AllReduce}) || !factory)
      return failure();
    std::optional<int64_t> size = lookupGroupSize(reduce, reduce.getGroupAttr());
    if (!isPlain(reduce) || motion.whyStays(reduce) || !size || *size == 1)
      return failure();
    auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
    if (type.getRank() == 0 || type.isDynamicDim(0) || type.getDimSize(0) % *size != 0 ||
        type.getDimSize(0) == 0)
      return failure();
    SmallVector<int64_t> part(type.getShape());
    part[0] /= *size;
    CommunicationForm half = {Kind::ReduceScatter, reduce.getGroupAttr(),
                              getForm(reduce)->reduction};
    Operation *scatter = factory->create(rewriter, reduce.getLoc(), half, reduce.getInputs(),
                                         TypeRange(type.clone(part)));
    if (!scatter)
      return failure();
    CommunicationForm other = {Kind::AllGather, reduce.getGroupAttr()};
    if (failed(replaceBy(other, reduce, scatter->getResults(), reduce, rewriter))) {
      rewriter.eraseOp(scatter);
      return failure();
    }
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
    BucketOpInterface one = findOnly(Kind::AllReduce, add.getLhs());
    BucketOpInterface other = findOnly(Kind::AllReduce, add.getRhs());
    const CommunicationDialectInterface *factory = getFactory(one);
    if (!one || !other || !factory || one->getDialect() != other->getDialect() ||
        one.getGroupAttr() != other.getGroupAttr() ||
        getForm(one)->reduction != getForm(other)->reduction)
      return failure();
    CommunicationForm form = *getForm(one);
    bool isLinear = form.reduction == Reduction::Sum || form.reduction == Reduction::Mean;
    if (!isLinear || (isFloat(add.getResult()) && !this->reassociate))
      return failure();
    if (!this->motion.mayMove(one, add) || !this->motion.mayMove(other, add))
      return failure();
    auto sum =
        AddOp::create(rewriter, add.getLoc(), one.getInputs().front(), other.getInputs().front());
    Operation *reduced = factory->create(rewriter, add.getLoc(), form, ValueRange(sum.getResult()),
                                         add->getResultTypes());
    if (!reduced) {
      rewriter.eraseOp(sum);
      return failure();
    }
    rewriter.replaceOp(add, reduced);
    rewriter.eraseOp(one);
    rewriter.eraseOp(other);
    ++this->count;
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Within the rows of a grid, then along its columns: over the world
//===----------------------------------------------------------------------===//

struct JoinNestedReductions : Merge<BucketOpInterface> {
  using Merge::Merge;

  LogicalResult matchAndRewrite(BucketOpInterface outer, PatternRewriter &rewriter) const override {
    if (!isKind(outer, {Kind::AllReduce}) || !isPlain(outer))
      return failure();
    BucketOpInterface inner = findOnly(Kind::AllReduce, outer.getInputs().front());
    if (!inner || getForm(inner)->reduction != getForm(outer)->reduction || !mayReorder(outer) ||
        motion.whyStays(outer) || !motion.mayMove(inner, outer))
      return failure();
    CommunicationForm form = *getForm(outer);
    form.group = findWorld(outer);
    if (!form.group ||
        !doCover(findGroup(inner, inner.getGroupAttr()), findGroup(outer, outer.getGroupAttr())) ||
        failed(replaceBy(form, outer, inner.getInputs(), outer, rewriter)))
      return failure();
    rewriter.eraseOp(inner);
    ++count;
    return success();
  }

private:
  bool mayReorder(BucketOpInterface op) const {
    std::optional<Reduction> reduction = getForm(op)->reduction;
    return reduction == Reduction::Min || reduction == Reduction::Max || reassociate ||
           !isFloat(op.getInputs().front());
  }

  static FlatSymbolRefAttr findWorld(Operation *user) {
    GroupOpInterface world = findWorldGroup(SymbolTable::getNearestSymbolTable(user), user);
    return world ? FlatSymbolRefAttr::get(world) : FlatSymbolRefAttr();
  }

  /// Whether the inner sets of all ranks of an outer set are the world, each once.
  static bool doCover(GroupOpInterface inner, GroupOpInterface outer) {
    if (areRowsAndColumns(inner.getGroupForm(), outer.getGroupForm()))
      return true;
    std::optional<int64_t> world = findWorldSizeAt(inner);
    for (int64_t rank = 0; world && rank < *world; ++rank)
      if (!doesCoverFrom(rank, inner, outer, *world))
        return false;
    return world.has_value();
  }

  /// Rows and columns of a grid of any number of rows.
  static bool areRowsAndColumns(const GroupForm &inner, const GroupForm &outer) {
    auto crosses = [](const GroupForm &one, const GroupForm &other) {
      return one.kind == GroupForm::Blocks && other.kind == GroupForm::Strided &&
             one.length == other.length;
    };
    return crosses(inner, outer) || crosses(outer, inner);
  }

  static bool doesCoverFrom(int64_t rank, GroupOpInterface inner, GroupOpInterface outer,
                            int64_t world) {
    std::optional<SmallVector<int64_t>> column = outer.getMembersWith(rank, world);
    if (!column || column->empty())
      return false;
    llvm::SmallDenseSet<int64_t> seen;
    size_t length = 0;
    for (int64_t member : *column) {
      std::optional<SmallVector<int64_t>> row = inner.getMembersWith(member, world);
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
