// Gradients of operators that take parts of tensors or put tensors together. Those of a lookup and
// of cutting are in passes/gradient, because they are written with the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

#include <limits>

using namespace mlir;
using namespace tutti::onnx;

/// Entries `start` to `end` along `axis`.
static Value slice(GradientBuilder &g, Builder attributes, int64_t axis, int64_t start,
                   int64_t end) {
  return g.create<SliceOp>(
      g.into(), attributes.getDenseI64ArrayAttr(start), attributes.getDenseI64ArrayAttr(end),
      attributes.getDenseI64ArrayAttr(axis), attributes.getDenseI64ArrayAttr(1));
}

/// The parts of the gradient of a Concat. The size of operand `open` alone varies, so that the
/// parts after it are counted from the end.
static void cutAround(ConcatOp op, GradientBuilder &g, int64_t axis, size_t open) {
  constexpr int64_t theEnd = std::numeric_limits<int64_t>::max();
  Builder attributes(op.getContext());
  int64_t before = 0, after = 0;
  for (Value input : op.getInputs().drop_front(open + 1))
    after += shapeOf(input)[axis];
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    int64_t size = shapeOf(input)[axis], start = before, end = before + size;
    if (index < open) {
      before = end;
    } else if (index == open) {
      end = after == 0 ? theEnd : -after;
    } else {
      start = -after;
      after -= size;
      end = after == 0 ? theEnd : -after;
    }
    if (g.wants(index))
      g.give(index, slice(g, attributes, axis, start, end));
  }
}

/// Several sizes vary: the entries of each part are looked up by their places.
static void cutByPlaces(ConcatOp op, GradientBuilder &g, int64_t axis) {
  Builder attributes(op.getContext());
  Value before = g.integer(0);
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    if (g.wants(index)) {
      Value places = g.create<AddOp>(g.countAlong(input, axis), before);
      g.give(index, g.create<GatherOp>(g.into(), places, attributes.getI64IntegerAttr(axis)));
    }
    before = g.create<AddOp>(before, g.sizeAlong(input, axis));
  }
}

TUTTI_ONNX_GRADIENT(ConcatOp) {
  int64_t axis = countedFromZero(op.getAxis(), op.getInputs().front());
  SmallVector<int64_t> sizes;
  for (Value input : op.getInputs())
    sizes.push_back(shapeOf(input)[axis]);
  if (llvm::count_if(sizes, ShapedType::isDynamic) > 1)
    return cutByPlaces(op, g, axis), success();
  if (auto *open = llvm::find_if(sizes, ShapedType::isDynamic); open != sizes.end())
    return cutAround(op, g, axis, open - sizes.begin()), success();
  SmallVector<Type> types(op.getInputs().getTypes());
  Builder attributes(op.getContext());
  auto parts = g.create<SplitOp>(types, g.into(), attributes.getDenseI64ArrayAttr(sizes),
                                 attributes.getI64IntegerAttr(axis));
  for (auto [index, part] : llvm::enumerate(parts.getOutputs()))
    if (g.wants(index))
      g.give(index, part);
  return success();
}

TUTTI_ONNX_GRADIENT(SliceOp) {
  g.give(0, g.create<SliceGradOp>(g.into(), op.getData(), op.getStartsAttr(), op.getEndsAttr(),
                                  op.getAxesAttr(), op.getStepsAttr()));
  return success();
}

// X gives only its shape: its gradient is zero.
TUTTI_ONNX_GRADIENT(SliceGradOp) {
  if (g.wants(0))
    g.give(0, g.create<SliceOp>(g.into(), op.getStartsAttr(), op.getEndsAttr(), op.getAxesAttr(),
                                op.getStepsAttr()));
  return success();
}

// `like` gives only a size.
TUTTI_ONNX_GRADIENT(ExpandOp) {
  if (g.wants(0))
    g.give(0, g.into());
  return success();
}

// What was added is taken away, and what was taken away is zero.
TUTTI_ONNX_GRADIENT(PadOp) {
  SmallVector<int64_t> back(op.getPads());
  for (int64_t &pad : back)
    pad = -pad;
  Builder attributes(op.getContext());
  g.give(0, g.create<PadOp>(g.into(), attributes.getDenseI64ArrayAttr(back),
                            attributes.getF64FloatAttr(0.0)));
  return success();
}

TUTTI_ONNX_GRADIENT(TriluOp) {
  g.give(0, g.create<TriluOp>(g.into(), op.getKAttr(), op.getUpperAttr()));
  return success();
}
