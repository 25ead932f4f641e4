// Elements picked or replaced by indices: the places in a flat tensor are computed, and kernels
// move what is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Kernel.h"
#include "dialects/onnx/Onnx.h"
#include "passes/conversion/LinalgBuilders.h"
#include "passes/conversion/ScalarMath.h"
#include "passes/conversion/onnx/LowerOnnx.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tutti::conversion;
using tutti::kernel::createKernel;
using tutti::kernel::GatherRowsOp;
using tutti::kernel::ScatterRowsOp;
using tutti::kernel::ScatterUpdateRowsOp;
using namespace tutti::onnx;

namespace {

/// A tensor seen as a list of rows, and which of them are meant.
struct Places {
  int64_t rows = 1, elements = 1;
  int64_t invalid() const { return rows + 1; } // `rows` itself says "none" to some kernels
  Value numbers;                               ///< i64 [count]
};

/// How many rows of the flat tensor one step along each dimension is; `indexed` dimensions are
/// flattened.
SmallVector<int64_t> rowStrides(ArrayRef<int64_t> shape, int64_t indexed) {
  SmallVector<int64_t> strides(indexed, 1);
  for (int64_t i = indexed - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// `index * stride`, an index from the end counted from the front; one that is out of range becomes
/// `invalid`, which the kernels refuse, and to which the other dimensions only add.
Value scaleIndex(ImplicitLocOpBuilder &builder, Value index, int64_t size, int64_t stride,
                 int64_t invalid) {
  ScalarMath s(builder, builder.getI64Type());
  index = castScalar(builder, index, s.type);
  Value zero = s.constant(0), count = s.constant(size);
  Value front = s.select(s.less(index, zero), s.add(index, count), index);
  Value isIn = arith::AndIOp::create(builder, s.atMost(zero, front), s.less(front, count));
  return s.select(isIn, s.mul(front, s.constant(stride)), s.constant(invalid));
}

/// The loop's own index in `dimension`, times `stride`.
Value scalePosition(ImplicitLocOpBuilder &builder, int64_t dimension, int64_t stride) {
  ScalarMath s(builder, builder.getI64Type());
  Value position =
      arith::IndexCastOp::create(builder, s.type, linalg::IndexOp::create(builder, dimension));
  return s.mul(position, s.constant(stride));
}

/// The places of elements whose indices along `axis` are given.
Places placesOfElements(ImplicitLocOpBuilder &builder, RankedTensorType data, Value indices,
                        int64_t axis) {
  axis += axis < 0 ? data.getRank() : 0;
  Places places;
  places.rows = data.getNumElements();
  SmallVector<int64_t> strides = rowStrides(data.getShape(), data.getRank());
  RankedTensorType type = tensorType(indices).clone(builder.getI64Type());
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
    ScalarMath s(b, b.getI64Type());
    Value place = scaleIndex(b, in[0], data.getDimSize(axis), strides[axis], places.invalid());
    for (int64_t dimension : dimensionsWithout(data.getRank(), axis))
      place = s.add(place, scalePosition(b, dimension, strides[dimension]));
    return {place};
  };
  places.numbers = createReshape(builder, createElementwise(builder, type, indices, body),
                                 {type.getNumElements()});
  return places;
}

/// The places of what the tuples in the last dimension of `indices` point at, after `batch`
/// dimensions.
Places placesOfTuples(ImplicitLocOpBuilder &builder, RankedTensorType data, Value indices,
                      int64_t batch) {
  RankedTensorType tuples = tensorType(indices);
  int64_t count = tuples.getShape().back(), indexed = batch + count, outer = tuples.getRank() - 1;
  Places places;
  for (auto [i, size] : llvm::enumerate(data.getShape()))
    (static_cast<int64_t>(i) < indexed ? places.rows : places.elements) *= size;
  SmallVector<int64_t> strides = rowStrides(data.getShape(), indexed);
  auto type = RankedTensorType::get(tuples.getShape().drop_back(), builder.getI64Type());
  SmallVector<Value> parts;
  SmallVector<AffineMap> maps;
  for (int64_t i = 0; i < count; ++i) { // entry i of each tuple
    SmallVector<AffineExpr> read;
    for (int64_t dimension = 0; dimension < outer; ++dimension)
      read.push_back(builder.getAffineDimExpr(dimension));
    read.push_back(builder.getAffineConstantExpr(i));
    maps.push_back(AffineMap::get(outer, 0, read, builder.getContext()));
    parts.push_back(indices);
  }
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
    ScalarMath s(b, b.getI64Type());
    Value place = s.constant(0);
    for (int64_t i = 0; i < count; ++i)
      place = s.add(place, scaleIndex(b, in[i], data.getDimSize(batch + i), strides[batch + i],
                                      places.invalid()));
    for (int64_t dimension = 0; dimension < batch; ++dimension)
      place = s.add(place, scalePosition(b, dimension, strides[dimension]));
    return {place};
  };
  places.numbers = createReshape(builder, createMapped(builder, type, parts, maps, body),
                                 {type.getNumElements()});
  return places;
}

Value createPicked(ImplicitLocOpBuilder &builder, Value data, const Places &places,
                   RankedTensorType type) {
  int64_t count = tensorType(places.numbers).getNumElements();
  auto rows = type.clone({count, places.elements});
  Value flat = createReshape(builder, data, {places.rows, places.elements});
  Value picked =
      createKernel<GatherRowsOp>(builder, builder.getLoc(), {flat, places.numbers},
                                 createEmpty(builder, rows), /*axis=*/0, /*unused=*/false)
          .getResult(0);
  return createReshape(builder, picked, type.getShape());
}

/// `data` with `updates` in these places, or added there.
Value createScattered(ImplicitLocOpBuilder &builder, Value data, const Places &places,
                      Value updates, bool adds) {
  RankedTensorType type = tensorType(data);
  int64_t count = tensorType(places.numbers).getNumElements();
  Value rows = createReshape(builder, updates, {count, places.elements});
  Value flat = createReshape(builder, data, {places.rows, places.elements});
  if (!adds) {
    Value table =
        createKernel<ScatterUpdateRowsOp>(builder, builder.getLoc(), {places.numbers, rows}, flat)
            .getResult(0);
    return createReshape(builder, table, type.getShape());
  }
  Value sums = createKernel<ScatterRowsOp>(builder, builder.getLoc(), {places.numbers, rows},
                                           createEmpty(builder, tensorType(flat)))
                   .getResult(0);
  Value total =
      createElementwise(builder, tensorType(flat), {flat, sums},
                        [&](ImplicitLocOpBuilder &b, ValueRange in) -> SmallVector<Value> {
                          return {ScalarMath(b, type.getElementType()).add(in[0], in[1])};
                        });
  return createReshape(builder, total, type.getShape());
}

/// `data`, whose parts in these places are combined with the updates one after the other.
Value createCombined(ImplicitLocOpBuilder &builder, Value data, const Places &places, Value updates,
                     tutti::kernel::RowReduction reduction) {
  int64_t count = tensorType(places.numbers).getNumElements();
  Value rows = createReshape(builder, updates, {count, places.elements});
  Value flat = createReshape(builder, data, {places.rows, places.elements});
  Value table = createKernel<tutti::kernel::CombineRowsOp>(builder, builder.getLoc(),
                                                           {places.numbers, rows}, flat, reduction)
                    .getResult(0);
  return createReshape(builder, table, tensorType(data).getShape());
}

/// What any scatter does with its updates.
template <typename Op>
LogicalResult replaceScatter(Op op, const Places &places, ImplicitLocOpBuilder &builder,
                             PatternRewriter &rewriter) {
  using tutti::kernel::RowReduction;
  bool isFloat = isa<Float32Type, Float64Type>(tensorType(op.getData()).getElementType());
  if (op.getReduction() == "none" || (op.getReduction() == "add" && isFloat)) {
    rewriter.replaceOp(op, createScattered(builder, op.getData(), places, op.getUpdates(),
                                           op.getReduction() == "add"));
    return success();
  }
  RowReduction reduction = llvm::StringSwitch<RowReduction>(op.getReduction())
                               .Case("add", RowReduction::Sum)
                               .Case("mul", RowReduction::Product)
                               .Case("max", RowReduction::Max)
                               .Default(RowReduction::Min);
  rewriter.replaceOp(op, createCombined(builder, op.getData(), places, op.getUpdates(), reduction));
  return success();
}

/// Whether numbers of this type can be combined.
template <typename Op> LogicalResult checkCombines(Op op, PatternRewriter &rewriter) {
  Type element = tensorType(op.getData()).getElementType();
  if (op.getReduction() == "none" || isa<Float32Type, Float64Type>(element) ||
      element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return success();
  return rewriter.notifyMatchFailure(op, "numbers of f32, f64, i32 and i64 are combined, and no "
                                         "others; cast data and updates to one of these");
}

struct LowerGatherElements : OpRewritePattern<GatherElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherElementsOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Places places =
        placesOfElements(builder, tensorType(op.getData()), op.getIndices(), op.getAxis());
    rewriter.replaceOp(op, createPicked(builder, op.getData(), places, tensorType(op.getOutput())));
    return success();
  }
};

struct LowerGatherND : OpRewritePattern<GatherNDOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherNDOp op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Places places =
        placesOfTuples(builder, tensorType(op.getData()), op.getIndices(), op.getBatchDims());
    rewriter.replaceOp(op, createPicked(builder, op.getData(), places, tensorType(op.getOutput())));
    return success();
  }
};

struct LowerScatterElements : OpRewritePattern<ScatterElementsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterElementsOp op, PatternRewriter &rewriter) const override {
    if (failed(checkCombines(op, rewriter)))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Places places =
        placesOfElements(builder, tensorType(op.getData()), op.getIndices(), op.getAxis());
    return replaceScatter(op, places, builder, rewriter);
  }
};

struct LowerScatterND : OpRewritePattern<ScatterNDOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterNDOp op, PatternRewriter &rewriter) const override {
    if (failed(checkCombines(op, rewriter)))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Places places =
        placesOfTuples(builder, tensorType(op.getData()), op.getIndices(), op.getBatchDims());
    return replaceScatter(op, places, builder, rewriter);
  }
};

struct LowerTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op, PatternRewriter &rewriter) const override {
    RankedTensorType type = tensorType(op.getX());
    Type element = type.getElementType();
    if (!isa<Float32Type, Float64Type>(element) && !element.isSignlessInteger(32) &&
        !element.isSignlessInteger(64))
      return rewriter.notifyMatchFailure(op, "elements of f32, f64, i32 and i64 are compared, and "
                                             "no others; cast its input to one of these");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    int64_t axis = op.getAxis();
    axis += axis < 0 ? type.getRank() : 0;
    SmallVector<Value> outputs;
    for (Value result : op->getResults())
      outputs.push_back(createEmpty(builder, tensorType(result)));
    auto top = createKernel<tutti::kernel::TopKOp>(builder, op.getLoc(), op.getX(), outputs, axis,
                                                   op.getLargest() == 0);
    rewriter.replaceOp(op, top.getResults());
    return success();
  }
};

} // namespace

void tutti::conversion::populateIndexingPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGatherElements, LowerGatherND, LowerScatterElements, LowerScatterND, LowerTopK>(
      patterns.getContext());
}
