// Type inference of slices, and of what makes tensors larger.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tutti::onnx;

namespace {

/// What one axis of a slice says.
struct SliceOfAxis {
  int64_t axis, start, end, step;
};

} // namespace

/// `index` as the standard means it: from the end if it is negative, and at least `least`, at most
/// `most`.
static int64_t bringInto(int64_t index, int64_t size, int64_t least, int64_t most) {
  // An index far below 0 would overflow.
  return std::clamp(index < 0 ? std::max(index, -size - 1) + size : index, least, most);
}

/// What is taken of a dimension of this size.
static SliceRange rangeOf(const SliceOfAxis &slice, int64_t size) {
  bool isForward = slice.step > 0;
  int64_t least = isForward ? 0 : -1, most = isForward ? size : size - 1;
  int64_t start = bringInto(slice.start, size, isForward ? 0 : std::min<int64_t>(0, most), most);
  int64_t end = bringInto(slice.end, size, least, most);
  int64_t distance = isForward ? end - start : start - end;
  int64_t longest = std::max(-std::numeric_limits<int64_t>::max(), slice.step); // has a negation
  int64_t step = isForward ? slice.step : -longest;
  return {start, slice.step, distance <= 0 ? 0 : llvm::divideCeilSigned(distance, step)};
}

/// The slices by axis; none if the attributes do not fit (slice_c1, slice_c2, slice_c3).
template <typename OpOrAdaptor>
static std::optional<SmallVector<SliceOfAxis>> slicesOf(OpOrAdaptor op, int64_t rank) {
  ArrayRef<int64_t> starts = op.getStarts(), ends = op.getEnds();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, starts.size()));
  if (op.getAxes())
    axes.assign(op.getAxes()->begin(), op.getAxes()->end());
  SmallVector<int64_t> steps(starts.size(), 1);
  if (op.getSteps())
    steps.assign(op.getSteps()->begin(), op.getSteps()->end());
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size() || llvm::is_contained(steps, 0) || !normalizeAxes(axes, rank))
    return std::nullopt;
  SmallVector<SliceOfAxis> slices;
  for (auto [axis, start, end, step] : llvm::zip_equal(axes, starts, ends, steps))
    slices.push_back({axis < 0 ? axis + rank : axis, start, end, step});
  return slices;
}

/// Whether it takes one entry, which the dimension has: a size that lacks it is refused once it is
/// known.
static bool takesOne(const SliceOfAxis &slice) {
  constexpr int64_t farOff = std::numeric_limits<int32_t>::max();
  bool isLast = slice.start == -1 && slice.end >= farOff;
  bool isOne = slice.end == slice.start + 1 && slice.end != 0;
  return slice.step > 0 && (isOne || isLast);
}

/// The shape of the slice of `data`.
template <typename Adaptor>
static FailureOr<Shape> inferSlice(const Inference &infer, Adaptor adaptor, Value data) {
  if (failed(infer.requireRanked(data)))
    return failure();
  Shape shape(shapeOf(data));
  auto slices = slicesOf(adaptor, shape.size());
  if (!slices)
    return infer.error("needs one start, end and step that is not 0 for each of some distinct "
                       "dimensions of ",
                       data.getType());
  for (const SliceOfAxis &slice : *slices)
    if (!ShapedType::isDynamic(shape[slice.axis]))
      shape[slice.axis] = rangeOf(slice, shape[slice.axis]).size;
    else if (takesOne(slice))
      shape[slice.axis] = 1;
  return shape;
}

template <typename Op> static SmallVector<SliceRange> rangesOf(Op op, Value data) {
  ArrayRef<int64_t> shape = shapeOf(data);
  SmallVector<SliceRange> ranges;
  for (int64_t size : shape)
    ranges.push_back({0, 1, size});
  SmallVector<SliceOfAxis> slices = *slicesOf(op, shape.size());
  for (const SliceOfAxis &slice : slices)
    ranges[slice.axis] = rangeOf(slice, shape[slice.axis]);
  return ranges;
}

SmallVector<SliceRange> SliceOp::getRanges() { return rangesOf(*this, getData()); }
SmallVector<SliceRange> SliceGradOp::getRanges() { return rangesOf(*this, getX()); }

TUTTI_ONNX_INFER(SliceOp) {
  Inference infer(getOperationName(), location, types);
  FailureOr<Shape> shape = inferSlice(infer, adaptor, adaptor.getData());
  return failed(shape) ? failure() : infer.give(*shape, elementOf(adaptor.getData()));
}

TUTTI_ONNX_INFER(SliceGradOp) {
  Inference infer(getOperationName(), location, types);
  Value x = adaptor.getX();
  FailureOr<Shape> shape = inferSlice(infer, adaptor, x);
  if (failed(shape) || failed(infer.requireOneElementType({x, adaptor.getDY()})) ||
      failed(infer.requireShape(adaptor.getDY(), "dY", *shape))) // slicegrad_c2
    return failure();
  return infer.giveTypeOf(x);
}

/// The shape to which an Expand broadcasts its operand, or none. -1 becomes `known`.
static std::optional<Shape> expandedShape(ArrayRef<int64_t> from, ArrayRef<int64_t> shape,
                                          std::optional<int64_t> known) {
  Shape to(shape);
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i] >= 0)
      continue;
    bool isOfInput = i + from.size() >= to.size();
    bool isOwn = isOfInput && (from[i + from.size() - to.size()] != 1 || !known);
    if (to[i] < -1 || (!isOwn && !known)) // expand_c1, expand_c3
      return std::nullopt;
    to[i] = isOwn ? from[i + from.size() - to.size()] : *known;
  }
  return broadcastShapes(from, to);
}

TUTTI_ONNX_INFER(ExpandOp) {
  Inference infer(getOperationName(), location, types);
  Value input = adaptor.getInput(), like = adaptor.getLike();
  if (failed(infer.requireRanked(input)) ||
      (like && failed(infer.requireAxis(adaptor.getAxis(), like)))) // expand_c4
    return failure();
  std::optional<int64_t> known;
  if (like)
    known = shapeOf(like)[countedFromZero(adaptor.getAxis(), like)];
  std::optional<Shape> shape = expandedShape(shapeOf(input), adaptor.getShape(), known);
  if (!shape) // expand_c2
    return infer.error("cannot expand ", input.getType(), " to shape ",
                       toString(adaptor.getShape()));
  return infer.give(*shape, elementOf(input));
}

TUTTI_ONNX_INFER(PadOp) {
  Inference infer(getOperationName(), location, types);
  Value data = adaptor.getData();
  if (failed(infer.requireRanked(data)))
    return failure();
  Shape shape(shapeOf(data));
  ArrayRef<int64_t> pads = adaptor.getPads();
  if (pads.size() != 2 * shape.size()) // pad_c1
    return infer.error("needs two pads for each dimension of ", data.getType(), ", but has ",
                       pads.size());
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t added = pads[i] + pads[shape.size() + i];
    bool isKnown = !ShapedType::isDynamic(size);
    if (isKnown && (size + added < 0 || size + std::min(pads[i], pads[shape.size() + i]) < 0))
      return infer.error("takes more from dimension ", i, " of ", data.getType(), // pad_c2
                         " than it has");
    if (isKnown)
      size += added;
  }
  return infer.give(shape, elementOf(data));
}

TUTTI_ONNX_INFER(TriluOp) {
  Inference infer(getOperationName(), location, types);
  if (failed(infer.requireRank(adaptor.getInput(), "input", 2))) // trilu_c1
    return failure();
  return infer.giveTypeOf(adaptor.getInput());
}
