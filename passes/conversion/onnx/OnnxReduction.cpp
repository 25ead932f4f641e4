// Reductions, running sums and the gradients of sums and means as loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cmath>

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

/// How many elements of `shape` are reduced to one.
double countReduced(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  double count = 1;
  for (int64_t axis : axes)
    count *= shape[axis];
  return count;
}

Value scaleBy(ImplicitLocOpBuilder &builder, Value value, double factor) {
  RankedTensorType type = tensorType(value);
  return createElementwise(builder, type, value,
                           [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                             ScalarMath s(b, type.getElementType());
                             return {s.mul(in[0], s.constant(factor))};
                           });
}

/// The sum (times `factor`) of `data` over `axes`, in the shape of `result`.
Value createScaledSum(ImplicitLocOpBuilder &builder, Value data, ArrayRef<int64_t> axes,
                      double factor, Value result) {
  Value sum = createSum(builder, data, dimensionsWithout(tensorType(data).getRank(), axes));
  if (factor != 1.0)
    sum = scaleBy(builder, sum, factor);
  return createReshape(builder, sum, tensorType(result).getShape());
}

template <typename Op, bool isMean> struct LowerReduce : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<int64_t> axes = op.getReducedAxes();
    double count = countReduced(tensorType(op.getData()).getShape(), axes);
    rewriter.replaceOp(
        op, createScaledSum(builder, op.getData(), axes, isMean ? 1 / count : 1, op.getReduced()));
    return success();
  }
};

struct LowerGlobalAveragePool : OpRewritePattern<GlobalAveragePoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GlobalAveragePoolOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getX());
    SmallVector<int64_t> axes = dimensionsWithout(type.getRank(), {0, 1});
    rewriter.replaceOp(op, createScaledSum(builder, op.getX(), axes,
                                           1 / countReduced(type.getShape(), axes), op.getY()));
    return success();
  }
};

/// Which of two numbers an extreme keeps.
template <typename Op> Value choose(const ScalarMath &s, Value a, Value b) {
  if constexpr (std::is_same_v<Op, ReduceMaxOp>)
    return s.max(a, b);
  else if constexpr (std::is_same_v<Op, ReduceMinOp>)
    return s.min(a, b);
  else
    return s.mul(a, b);
}

template <typename Op> struct LowerReduceChoice : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  static constexpr double initial = std::is_same_v<Op, ReduceMaxOp>   ? -HUGE_VAL
                                    : std::is_same_v<Op, ReduceMinOp> ? HUGE_VAL
                                                                      : 1;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getData());
    SmallVector<int64_t> kept = dimensionsWithout(type.getRank(), op.getReducedAxes());
    Value reduced =
        createReduction(builder, op.getData(), kept, initial,
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                          return {choose<Op>(ScalarMath(b, type.getElementType()), in[1], in[0])};
                        });
    rewriter.replaceOp(op, createReshape(builder, reduced, tensorType(op.getReduced()).getShape()));
    return success();
  }
};

int64_t countedFromZero(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

/// The index of an extreme, carried beside it.
template <typename Op, bool isMax> struct LowerArg : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getData());
    Type element = type.getElementType(), number = builder.getI64Type();
    int64_t rank = type.getRank(), axis = countedFromZero(op.getAxis(), rank);
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      ScalarMath s(b, element);
      Value low = isMax ? in[1] : in[0], high = isMax ? in[0] : in[1];
      Value isBetter = op.getSelectLastIndex() ? s.atMost(low, high) : s.less(low, high);
      Value index = arith::IndexCastOp::create(b, number, linalg::IndexOp::create(b, axis));
      return {s.select(isBetter, in[0], in[1]), s.select(isBetter, index, in[2])};
    };
    SmallVector<Value> best =
        createReduction(builder, type.getShape(), dimensionsWithout(rank, axis), op.getData(),
                        builder.getMultiDimIdentityMap(rank), {element, number},
                        {isMax ? -HUGE_VAL : HUGE_VAL, 0}, body);
    rewriter.replaceOp(op, createReshape(builder, best[1], tensorType(op.getReduced()).getShape()));
    return success();
  }
};

/// The running sums of a CumSum. Of a few entries each is a sum over all of the axis, of which
/// those count that stand where they should. Many are blocks of about as many as there are blocks:
/// to the running sums within each, those of whole blocks are added. So the work grows with the
/// power 3/2 of the axis, or less, and sums are of the same order on every rank.
class RunningSums {
public:
  RunningSums(ImplicitLocOpBuilder &builder, bool isReverse)
      : builder(builder), isReverse(isReverse) {}

  Value along(Value input, int64_t axis, bool isExclusive) {
    int64_t size = tensorType(input).getDimSize(axis);
    return size <= fewEntries ? ofFew(input, axis, isExclusive)
                              : ofMany(input, axis, isExclusive, size);
  }

private:
  static constexpr int64_t fewEntries = 64;

  Value ofFew(Value input, int64_t axis, bool isExclusive) {
    RankedTensorType type = tensorType(input);
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape()), kept = dimensionsWithout(rank, {});
    shape.push_back(shape[axis]);
    SmallVector<int64_t> read(kept);
    read[axis] = rank;
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      ScalarMath s(b, type.getElementType());
      return {s.add(in[1], s.select(counts(b, axis, rank, isExclusive), in[0], s.constant(0)))};
    };
    return createReduction(builder, shape, kept, input,
                           selectDimensions(builder.getContext(), rank + 1, read),
                           type.getElementType(), 0.0, body)
        .front();
  }

  Value ofMany(Value input, int64_t axis, bool isExclusive, int64_t size) {
    auto each = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(size))));
    int64_t blocks = (size + each - 1) / each;
    RankedTensorType type = tensorType(input);
    SmallVector<int64_t> whole(type.getShape()), split(whole);
    whole[axis] = blocks * each;
    if (whole[axis] != size)
      input = createInsertionAt(builder, input, createFilled(builder, type.clone(whole), 0.0),
                                /*first=*/0, axis);
    split[axis] = blocks;
    split.insert(split.begin() + axis + 1, each);
    Value parts = createReshape(builder, input, split);
    int64_t rank = type.getRank() + 1;
    SmallVector<int64_t> ofBlocks = dimensionsWithout(rank, axis + 1);
    Value before = along(createSum(builder, parts, ofBlocks), axis, /*isExclusive=*/true);
    auto add = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      return {ScalarMath(b, type.getElementType()).add(in[0], in[1])};
    };
    Value sums =
        createMapped(builder, tensorType(parts), {along(parts, axis + 1, isExclusive), before},
                     {builder.getMultiDimIdentityMap(rank),
                      selectDimensions(builder.getContext(), rank, ofBlocks)},
                     add);
    sums = createReshape(builder, sums, whole);
    return whole[axis] == size ? sums : createExtractionAt(builder, sums, type, /*first=*/0, axis);
  }

  /// Whether the term of the loop's last dimension is part of the sum.
  Value counts(ImplicitLocOpBuilder &b, int64_t axis, int64_t term, bool isExclusive) const {
    auto predicate = isReverse
                         ? (isExclusive ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sge)
                         : (isExclusive ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sle);
    return arith::CmpIOp::create(b, predicate, linalg::IndexOp::create(b, term),
                                 linalg::IndexOp::create(b, axis));
  }

  ImplicitLocOpBuilder &builder;
  bool isReverse;
};

struct LowerCumSum : OpRewritePattern<CumSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CumSumOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getX());
    if (type.getElementType().isUnsignedInteger())
      return rewriter.notifyMatchFailure(op, "there is no arithmetic on unsigned integers");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RunningSums sums(builder, op.getReverse() != 0);
    rewriter.replaceOp(op, sums.along(op.getX(), countedFromZero(op.getAxis(), type.getRank()),
                                      op.getExclusive() != 0));
    return success();
  }
};

template <typename Op, bool isMean> struct LowerReduceGrad : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getDX());
    SmallVector<int64_t> axes = op.getReducedAxes();
    SmallVector<int64_t> kept = dimensionsWithout(type.getRank(), axes), keptShape;
    for (int64_t dimension : kept)
      keptShape.push_back(type.getDimSize(dimension));
    Value gradient = createReshape(builder, op.getDY(), keptShape);
    double factor = isMean ? 1 / countReduced(type.getShape(), axes) : 1;
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      ScalarMath s(b, type.getElementType());
      return {factor == 1 ? in[0] : s.mul(in[0], s.constant(factor))};
    };
    rewriter.replaceOp(op,
                       createMapped(builder, type, gradient,
                                    selectDimensions(op.getContext(), type.getRank(), kept), body));
    return success();
  }
};

} // namespace

void tutti::conversion::populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReduce<ReduceSumOp, false>, LowerReduce<ReduceMeanOp, true>,
               LowerReduceGrad<ReduceSumGradOp, false>, LowerReduceGrad<ReduceMeanGradOp, true>,
               LowerReduceChoice<ReduceMaxOp>, LowerReduceChoice<ReduceMinOp>,
               LowerReduceChoice<ReduceProdOp>, LowerArg<ArgMaxOp, true>, LowerArg<ArgMinOp, false>,
               LowerCumSum, LowerGlobalAveragePool>(patterns.getContext());
}
