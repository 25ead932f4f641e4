// Gradients of operators that take parts of tensors or put tensors together. Those of a lookup and
// of cutting are in passes/gradient, because they are written with the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(ConcatOp) {
  int64_t axis = countedFromZero(op.getAxis(), op.getInputs().front());
  SmallVector<int64_t> sizes;
  for (Value input : op.getInputs())
    sizes.push_back(shapeOf(input)[axis]);
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return op.emitOpError("cannot cut its gradient along dimension ")
           << axis << ", along which the size of an operand varies";
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
