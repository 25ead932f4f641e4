// Folds and rewrites of operators that change shapes, and of reductions over nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/onnx/inference/Inference.h"

using namespace mlir;
using namespace tutti::onnx;

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValueAttr(); }

OpFoldResult IdentityOp::fold(FoldAdaptor adaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

/// True when a change of shape between tensors of this type can only be none: at most one dimension
/// is unknown.
static bool isRowMajorIdentity(Type from, Type to) {
  return from == to && cast<RankedTensorType>(to).getNumDynamicDims() <= 1;
}

OpFoldResult FlattenOp::fold(FoldAdaptor adaptor) {
  return isRowMajorIdentity(getInput().getType(), getType()) ? OpFoldResult(getInput())
                                                             : OpFoldResult();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  return isRowMajorIdentity(getData().getType(), getType()) ? OpFoldResult(getData())
                                                            : OpFoldResult();
}

/// What a Reshape or Flatten reshapes, or null.
static Value reshapedBy(Operation *op) {
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
    return reshape.getData();
  if (auto flatten = dyn_cast_or_null<FlattenOp>(op))
    return flatten.getInput();
  return {};
}

/// Of two reshapes in a row only the last one matters, unless it copies a `?` of the first one's
/// result.
static LogicalResult reshapeOfReshape(ReshapeOp op, PatternRewriter &rewriter) {
  Value source = reshapedBy(op.getData().getDefiningOp());
  if (!source)
    return failure();
  SmallVector<int64_t> shape(op.getShape());
  for (auto [i, entry] : llvm::enumerate(shape)) {
    if (entry != 0 || op.getAllowzero())
      continue;
    entry = shapeOf(op.getData())[i];
    if (ShapedType::isDynamic(entry) || entry == 0)
      return failure();
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getDataMutable().assign(source);
    op.setShape(shape);
  });
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(reshapeOfReshape);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  SmallVector<int64_t> permutation = getPermutation();
  bool keeps = llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
  return keeps && getData().getType() == getType() ? OpFoldResult(getData()) : OpFoldResult();
}

static LogicalResult transposeOfTranspose(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = op.getData().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> innerPermutation = inner.getPermutation(), permutation;
  for (int64_t dimension : op.getPermutation())
    permutation.push_back(innerPermutation[dimension]);
  rewriter.modifyOpInPlace(op, [&] {
    op.getDataMutable().assign(inner.getData());
    op.setPerm(permutation);
  });
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add(transposeOfTranspose);
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  if (getDroppedAxes().empty() && getData().getType() == getType())
    return getData();
  auto inner = getData().getDefiningOp<UnsqueezeOp>();
  if (inner && inner.getData().getType() == getType() &&
      getDroppedAxes() == *normalizeAxes(inner.getAxes(), shapeOf(getData()).size()))
    return inner.getData();
  return {};
}

OpFoldResult UnsqueezeOp::fold(FoldAdaptor adaptor) {
  if (getAxes().empty() && getData().getType() == getType())
    return getData();
  auto inner = getData().getDefiningOp<SqueezeOp>();
  if (inner && inner.getData().getType() == getType() &&
      inner.getDroppedAxes() == *normalizeAxes(getAxes(), shapeOf(getExpanded()).size()))
    return inner.getData();
  return {};
}

/// A reduction over no axes gives its operand.
template <typename ReduceOp> static OpFoldResult foldEmptyReduction(ReduceOp op) {
  return op.getReducedAxes().empty() && op.getData().getType() == op.getType()
             ? OpFoldResult(op.getData())
             : OpFoldResult();
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) { return foldEmptyReduction(*this); }
OpFoldResult ReduceMeanOp::fold(FoldAdaptor adaptor) { return foldEmptyReduction(*this); }
OpFoldResult ReduceMaxOp::fold(FoldAdaptor adaptor) { return foldEmptyReduction(*this); }
OpFoldResult ReduceMinOp::fold(FoldAdaptor adaptor) { return foldEmptyReduction(*this); }
OpFoldResult ReduceProdOp::fold(FoldAdaptor adaptor) { return foldEmptyReduction(*this); }

/// A slice of everything: equal sizes tell, and steps that keep the order.
OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  bool isForward =
      llvm::all_of(getSteps().value_or(ArrayRef<int64_t>()), [](int64_t step) { return step > 0; });
  auto type = cast<RankedTensorType>(getType());
  return isForward && getData().getType() == type && type.hasStaticShape() ? OpFoldResult(getData())
                                                                           : OpFoldResult();
}

/// Once all sizes are known, they are written down: nothing depends on `like` any more.
OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return {};
  if (getInput().getType() == type)
    return getInput();
  if (!getLike())
    return {};
  getLikeMutable().clear();
  setShape(type.getShape());
  setAxis(0);
  return getResult();
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  bool isNothing = llvm::all_of(getPads(), [](int64_t pad) { return pad == 0; });
  return isNothing && getData().getType() == getType() ? OpFoldResult(getData()) : OpFoldResult();
}
