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

/// Entry i of a slice is at start + i * step.
AffineMap mapOf(ArrayRef<SliceRange> ranges, MLIRContext *context) {
  SmallVector<AffineExpr> places;
  for (auto [i, range] : llvm::enumerate(ranges))
    places.push_back(getAffineDimExpr(i, context) * range.step + range.start);
  return AffineMap::get(ranges.size(), 0, places, context);
}

bool isEmpty(Value value) { return tensorType(value).getNumElements() == 0; }

Value createSlice(ImplicitLocOpBuilder &builder, Value data, RankedTensorType type,
                  ArrayRef<SliceRange> ranges) {
  if (type.getNumElements() == 0)
    return createEmpty(builder, type);
  return createMapped(builder, type, data, mapOf(ranges, builder.getContext()), yieldFirst);
}

struct LowerSlice : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, createSlice(builder, op.getData(), tensorType(op.getOutput()), op.getRanges()));
    return success();
  }
};

/// The part is written into zeros. It is added, so that they count as read.
struct LowerSliceGrad : OpRewritePattern<SliceGradOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SliceGradOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    RankedTensorType type = tensorType(op.getDX());
    Value zeros = createFilled(builder, type, 0.0);
    if (isEmpty(op.getDY())) {
      rewriter.replaceOp(op, zeros);
      return success();
    }
    SmallVector<AffineMap> maps = {builder.getMultiDimIdentityMap(type.getRank()),
                                   mapOf(op.getRanges(), op.getContext())};
    SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
    auto place = [&](OpBuilder &nested, Location loc, ValueRange in) {
      ImplicitLocOpBuilder b(loc, nested);
      linalg::YieldOp::create(b, ScalarMath(b, type.getElementType()).add(in[1], in[0]));
    };
    auto placed =
        linalg::GenericOp::create(builder, TypeRange{type}, op.getDY(), zeros, maps, loops, place);
    rewriter.replaceOp(op, placed.getResults());
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
  static int64_t behind(PadOp op, int64_t axis) {
    return op.getPads()[axis + op.getPads().size() / 2];
  }

  static Value crop(ImplicitLocOpBuilder &builder, PadOp op) {
    RankedTensorType type = tensorType(op.getData());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<SliceRange> ranges;
    for (auto [axis, size] : llvm::enumerate(shape)) {
      int64_t first = std::max<int64_t>(0, -before(op, axis));
      size -= first + std::max<int64_t>(0, -behind(op, axis));
      ranges.push_back({first, 1, size});
    }
    if (type.getShape() == ArrayRef<int64_t>(shape))
      return op.getData();
    return createSlice(builder, op.getData(), type.clone(shape), ranges);
  }

  static Value padAxis(ImplicitLocOpBuilder &builder, PadOp op, Value data, int64_t axis,
                       double value) {
    int64_t first = std::max<int64_t>(0, before(op, axis));
    int64_t added = first + std::max<int64_t>(0, behind(op, axis));
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
