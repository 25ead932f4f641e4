// The gradient of joining tensors. Those of a lookup and of cutting are in passes/gradient, because
// they are written with the train dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

static int64_t countedFromZero(int64_t axis, Value operand) {
  return axis < 0 ? axis + static_cast<int64_t>(shapeOf(operand).size()) : axis;
}

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
