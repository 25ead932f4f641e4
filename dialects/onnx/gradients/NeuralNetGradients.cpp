// Gradients of convolution, pooling and dropout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/gradients/GradientBuilder.h"

using namespace mlir;
using namespace tutti::onnx;

TUTTI_ONNX_GRADIENT(ConvOp) {
  auto gradient = g.create<ConvGradOp>(g.into(), op.getX(), op.getW(), op.getKernelShapeAttr(),
                                       op.getGroupAttr(), op.getAutoPadAttr(), op.getPadsAttr(),
                                       op.getStridesAttr(), op.getDilationsAttr());
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    if (g.wants(operand))
      g.give(operand, gradient.getResult(operand));
  return success();
}

TUTTI_ONNX_GRADIENT(MaxPoolOp) {
  g.give(0,
         g.create<MaxPoolGradOp>(g.into(), op.getX(), op.getKernelShapeAttr(), op.getCeilModeAttr(),
                                 op.getStorageOrderAttr(), op.getAutoPadAttr(), op.getPadsAttr(),
                                 op.getStridesAttr(), op.getDilationsAttr()));
  return success();
}

TUTTI_ONNX_GRADIENT(AveragePoolOp) {
  g.give(0, g.create<AveragePoolGradOp>(g.into(), op.getX(), op.getKernelShapeAttr(),
                                        op.getCeilModeAttr(), op.getCountIncludePadAttr(),
                                        op.getAutoPadAttr(), op.getPadsAttr(), op.getStridesAttr(),
                                        op.getDilationsAttr()));
  return success();
}

// It is a mean over the spatial dimensions.
TUTTI_ONNX_GRADIENT(GlobalAveragePoolOp) {
  Builder attributes(op.getContext());
  SmallVector<int64_t> spatial = llvm::to_vector(llvm::seq<int64_t>(2, shapeOf(op.getX()).size()));
  g.give(0, g.create<ReduceMeanGradOp>(
                g.into(), op.getX(), attributes.getDenseI64ArrayAttr(spatial),
                attributes.getI64IntegerAttr(1), attributes.getI64IntegerAttr(0)));
  return success();
}

// Only the shape of `like` matters.
TUTTI_ONNX_GRADIENT(RandomNormalLikeOp) { return success(); }
TUTTI_ONNX_GRADIENT(RandomUniformLikeOp) { return success(); }

TUTTI_ONNX_GRADIENT(DropoutOp) {
  if (g.wants(1))
    return op.emitOpError("has no gradient for its ratio; only the data may depend on a variable");
  g.give(0, g.create<DropoutGradOp>(g.into(), op.getMask(), op.getRatio(), op.getTrainingMode()));
  return success();
}
