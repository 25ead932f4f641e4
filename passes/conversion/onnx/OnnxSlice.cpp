// Slices, margins, triangles and repetitions as loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tutti::conversion;
using namespace tutti::onnx;

namespace {

SmallVector<Value> yieldFirst(ImplicitLocOpBuilder &, ValueRange in) { return {in[0]}; }

bool isEmpty(Value value) { return tensorType(value).getNumElements() == 0; }

bool takesAll(const SliceRange &range, int64_t size) {
  return range.start == 0 && range.step == 1 && range.size == size;
}

/// Entry i along `axis` is at start + i * step.
AffineMap mapAlong(int64_t axis, const SliceRange &range, int64_t rank, MLIRContext *context) {
  SmallVector<AffineExpr> places;
  for (int64_t i = 0; i < rank; ++i)
    places.push_back(getAffineDimExpr(i, context));
  places[axis] = places[axis] * range.step + range.start;
  return AffineMap::get(rank, 0, places, context);
}

RankedTensorType resized(Value value, int64_t axis, int64_t size) {
  SmallVector<int64_t> shape(tensorType(value).getShape());
  shape[axis] = size;
  return tensorType(value).clone(shape);
}

/// Neighbours are copied in blocks; entries with steps between them one by one.
Value createSlice(ImplicitLocOpBuilder &builder, Value data, ArrayRef<SliceRange> ranges) {
  for (auto [i, range] : llvm::enumerate(ranges)) {
    int64_t axis = i, rank = ranges.size();
    RankedTensorType type = resized(data, axis, range.size);
    if (takesAll(range, tensorType(data).getDimSize(axis)))
      continue;
    if (type.getNumElements() == 0)
      data = createEmpty(builder, type);
    else if (range.step == 1 || range.size == 1)
      data = createExtractionAt(builder, data, type, range.start, axis);
    else
      data = createMapped(builder, type, data, mapAlong(axis, range, rank, builder.getContext()),
                          yieldFirst);
  }
  return data;
}

/// `part` written into zeros, entry by entry. It is added, so that the zeros count as read.
Value createSpread(ImplicitLocOpBuilder &builder, Value part, Value zeros, int64_t axis,
                   const SliceRange &range) {
  RankedTensorType type = tensorType(zeros);
  SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(type.getRank()),
                                 mapAlong(axis, range, type.getRank(), builder.getContext())};
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto place = [&](OpBuilder &nested, Location loc, ValueRange in) {
    ImplicitLocOpBuilder b(loc, nested);
    linalg::YieldOp::create(b, ScalarMath(b, type.getElementType()).add(in[1], in[0]));
  };
  return linalg::GenericOp::create(builder, TypeRange{type}, part, zeros, maps, loops, place)
      .getResult(0);
}

struct LowerSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, createSlice(builder, op.getData(), op.getRanges()));
    return success();
  }
};

/// Zeros around what was taken, one dimension after the other.
struct LowerSliceGrad : OpRewritePattern<SliceGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceGradOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getDX());
    Value part = op.getDY();
    if (isEmpty(part)) {
      rewriter.replaceOp(op, createFilled(builder, type, 0.0));
      return success();
    }
    for (auto [axis, range] : llvm::enumerate(op.getRanges())) {
      int64_t size = type.getDimSize(axis);
      if (takesAll(range, size))
        continue;
      Value zeros = createFilled(builder, resized(part, axis, size), 0.0);
      part = range.step == 1 || range.size == 1
                 ? createInsertionAt(builder, part, zeros, range.start, axis)
                 : createSpread(builder, part, zeros, axis, range);
    }
    rewriter.replaceOp(op, part);
    return success();
  }
};

struct LowerExpand : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createElementwise(builder, tensorType(op.getOutput()), op.getInput(), yieldFirst));
    return success();
  }
};

/// The margin first, then what it is around, one dimension after the other.
struct LowerPad : OpRewritePattern<PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PadOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value padded = crop(builder, op);
    double value = op.getValue().convertToDouble();
    for (int64_t axis = 0; axis < tensorType(padded).getRank(); ++axis)
      padded = padAxis(builder, op, padded, axis, value);
    rewriter.replaceOp(op, padded);
    return success();
  }

  static int64_t before(PadOp op, int64_t axis) { return op.getPads()[axis]; }
  static int64_t after(PadOp op, int64_t axis) {
    return op.getPads()[axis + op.getPads().size() / 2];
  }

  static Value crop(ImplicitLocOpBuilder &builder, PadOp op) {
    SmallVector<SliceRange> ranges;
    for (auto [axis, size] : llvm::enumerate(tensorType(op.getData()).getShape())) {
      int64_t first = std::max<int64_t>(0, -before(op, axis));
      ranges.push_back({first, 1, size - first - std::max<int64_t>(0, -after(op, axis))});
    }
    return createSlice(builder, op.getData(), ranges);
  }

  static Value padAxis(ImplicitLocOpBuilder &builder, PadOp op, Value data, int64_t axis,
                       double value) {
    int64_t first = std::max<int64_t>(0, before(op, axis));
    int64_t added = first + std::max<int64_t>(0, after(op, axis));
    if (added == 0)
      return data;
    SmallVector<int64_t> shape(tensorType(data).getShape());
    shape[axis] += added;
    Value whole = createFilled(builder, tensorType(data).clone(shape), value);
    return isEmpty(data) ? whole : createInsertionAt(builder, data, whole, first, axis);
  }
};

/// Rows and columns are compared; the last two dimensions of the loop count them.
struct LowerTrilu : OpRewritePattern<TriluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TriluOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getOutput());
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
      Value row = linalg::IndexOp::create(b, type.getRank() - 2);
      Value column = linalg::IndexOp::create(b, type.getRank() - 1);
      Value shift = arith::ConstantIndexOp::create(b, op.getK());
      Value diagonal = arith::AddIOp::create(b, row, shift);
      auto predicate = op.getUpper() ? arith::CmpIPredicate::sge : arith::CmpIPredicate::sle;
      Value isKept = arith::CmpIOp::create(b, predicate, column, diagonal);
      ScalarMath s(b, type.getElementType());
      return {s.select(isKept, in[0], s.constant(0))};
    };
    rewriter.replaceOp(op, createElementwise(builder, type, op.getInput(), body));
    return success();
  }
};

} // namespace

void tutti::conversion::populateSlicePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSlice, LowerSliceGrad, LowerExpand, LowerPad, LowerTrilu>(
      patterns.getContext());
}
