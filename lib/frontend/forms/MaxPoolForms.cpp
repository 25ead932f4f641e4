// MaxPool and GlobalMaxPool. The second result of MaxPool is where in the input each largest
// element stands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/forms/ComposedForms.h"
#include "lib/frontend/forms/Composer.h"

#include <limits>

using namespace mlir;
using namespace tutti::frontend;

namespace {

/// Compares what the window sees, one of its elements after the other.
class LargestPlaces {
public:
  LargestPlaces(Composer &with, Value input, tutti::onnx::Window window, RankedTensorType result,
                bool isColumnMajor)
      : with(with), input(input), window(std::move(window)),
        shape(cast<RankedTensorType>(input.getType()).getShape()),
        results(result.getShape().drop_front(2)), strides(shape.size() - 2, 1) {
    size_t count = strides.size();
    for (size_t i = 1; i < count; ++i) {
      size_t here = isColumnMajor ? i : count - 1 - i, before = isColumnMajor ? i - 1 : here + 1;
      strides[here] = strides[before] * shape[before + 2];
    }
  }

  Value compute() {
    Value best = with.number(elementType(), -std::numeric_limits<double>::infinity());
    Value place = firstPlaces();
    Value padded = padInput();
    SmallVector<int64_t> offset(strides.size(), 0);
    do {
      Value seen = slice(padded, offset);
      Value isLarger = with.create("Greater", {seen, best});
      best = with.create("Where", {isLarger, seen, best});
      place = with.create("Where", {isLarger, placeOf(offset), place});
    } while (next(offset));
    return with.create("Add", {with.create("Add", {windowPlaces(), place}), channelPlaces()});
  }

private:
  Type elementType() const { return getElementTypeOrSelf(input.getType()); }
  size_t after(size_t axis) const { return strides.size() - 1 - axis; }

  bool next(SmallVectorImpl<int64_t> &offset) const {
    for (size_t axis = offset.size(); axis-- > 0;) {
      if (++offset[axis] < window.kernel[axis])
        return true;
      offset[axis] = 0;
    }
    return false;
  }

  /// With enough around it for the last window.
  Value padInput() {
    size_t rank = shape.size();
    SmallVector<int64_t> pads(2 * rank, 0);
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      int64_t needed = (results[axis] - 1) * window.strides[axis] + window.getExtent(axis);
      pads[axis + 2] = window.padsBegin[axis];
      pads[rank + axis + 2] =
          std::max<int64_t>(0, needed - shape[axis + 2] - window.padsBegin[axis]);
    }
    return with.create(
        "Pad", input,
        {{"pads", with.integers(pads)},
         {"value", with.builder.getF64FloatAttr(-std::numeric_limits<double>::infinity())}});
  }

  /// What all windows see at `offset`.
  Value slice(Value padded, ArrayRef<int64_t> offset) {
    SmallVector<int64_t> starts, ends, axes;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      starts.push_back(offset[axis] * window.dilations[axis]);
      ends.push_back(starts.back() + (results[axis] - 1) * window.strides[axis] + 1);
      axes.push_back(static_cast<int64_t>(axis) + 2);
    }
    return with.create("Slice", padded,
                       {{"starts", with.integers(starts)},
                        {"ends", with.integers(ends)},
                        {"axes", with.integers(axes)},
                        {"steps", with.integers(window.strides)}});
  }

  Value placeOf(ArrayRef<int64_t> offset) {
    int64_t place = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis)
      place += offset[axis] * window.dilations[axis] * strides[axis];
    return with.number(with.builder.getI64Type(), double(place));
  }

  /// A sum over the spatial dimensions of what `number` says of each entry.
  Value sumAlong(llvm::function_ref<int64_t(size_t, int64_t)> number) {
    Value sum;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      SmallVector<int64_t> entries;
      for (int64_t i = 0; i < results[axis]; ++i)
        entries.push_back(number(axis, i) * strides[axis]);
      Value part = with.integersAlong(entries, static_cast<int64_t>(after(axis)));
      sum = sum ? with.create("Add", {sum, part}) : part;
    }
    return sum;
  }

  /// Where each window begins.
  Value windowPlaces() {
    return sumAlong(
        [&](size_t axis, int64_t i) { return i * window.strides[axis] - window.padsBegin[axis]; });
  }

  /// The first element of each window that is no padding, counted from where the window begins.
  Value firstPlaces() {
    return sumAlong([&](size_t axis, int64_t i) {
      int64_t before = std::max<int64_t>(0, window.padsBegin[axis] - i * window.strides[axis]);
      return static_cast<int64_t>(llvm::divideCeil(before, window.dilations[axis])) *
             window.dilations[axis];
    });
  }

  /// Where each channel of each sample begins.
  Value channelPlaces() {
    int64_t size = 1, rank = static_cast<int64_t>(strides.size());
    for (int64_t spatial : shape.drop_front(2))
      size *= spatial;
    SmallVector<int64_t> channels;
    for (int64_t channel = 0; channel < shape[1]; ++channel)
      channels.push_back(channel * size);
    Value samples =
        with.create("Mul", {with.countOf(input, 0, rank + 1),
                            with.number(with.builder.getI64Type(), double(shape[1] * size))});
    return with.create("Add", {samples, with.integersAlong(channels, rank)});
  }

  Composer &with;
  Value input;
  tutti::onnx::Window window;
  ArrayRef<int64_t> shape, results;
  SmallVector<int64_t> strides; ///< of the spatial dimensions
};

} // namespace

LogicalResult tutti::frontend::composeMaxPool(ImportedNode &node, FormContext &context,
                                              Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (type && type.getElementType().isInteger(8)) { // f32 holds each of them
    Composer with(node, context);
    Type element = type.getElementType();
    node.operands[0] = with.cast(node.operands[0], context.builder.getF32Type());
    if (!node.operands[0] || failed(composeMaxPool(node, context, results)))
      return failure();
    node.attributes.erase("storage_order");
    if (results.empty())
      results.push_back(with.create("MaxPool", node.operands[0], node.attributes));
    results.front() = with.cast(results.front(), element);
    return success(results.front() != nullptr);
  }
  if (node.proto.output_size() < 2 || node.proto.output(1).empty() || !type)
    return success();
  Composer with(node, context);
  bool isColumnMajor = node.integer("storage_order", 0) != 0;
  node.attributes.erase("storage_order"); // of what the indices count
  results.push_back(with.create("MaxPool", node.operands[0], node.attributes));
  if (!results.back())
    return failure();
  for (int64_t size : type.getShape().drop_front())
    if (ShapedType::isDynamic(size))
      return success(); // then there are no indices
  auto pool = results.back().getDefiningOp<tutti::onnx::MaxPoolOp>();
  LargestPlaces places(with, node.operands[0], pool.getWindow(),
                       cast<RankedTensorType>(pool.getType()), isColumnMajor);
  results.push_back(places.compute());
  return success(results.back() != nullptr);
}

LogicalResult tutti::frontend::composeGlobalMaxPool(ImportedNode &node, FormContext &context,
                                                    Results &results) {
  auto type = dyn_cast<RankedTensorType>(node.operands[0].getType());
  if (!type || type.getRank() < 2)
    return node.emitError() << "needs samples with channels, got " << node.operands[0].getType();
  Composer with(node, context);
  ArrayRef<int64_t> spatial = type.getShape().drop_front(2);
  constexpr size_t mostOfKernels = 3;
  bool isWindow = !spatial.empty() && spatial.size() <= mostOfKernels &&
                  llvm::all_of(spatial, [](int64_t size) { return size > 0; });
  if (isWindow) {
    results.push_back(
        with.create("MaxPool", node.operands[0], {{"kernel_shape", with.integers(spatial)}}));
  } else {
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, type.getRank()));
    results.push_back(
        with.create("ReduceMax", node.operands[0],
                    {{"axes", with.integers(axes)}, {"noop_with_empty_axes", with.integer(1)}}));
  }
  return success(results.back() != nullptr);
}
