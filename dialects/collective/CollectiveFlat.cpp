// flatten and unflatten: verifiers, folds and effects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Violation.h"

using namespace mlir;
using namespace tutti::collective;

void FlattenOp::build(OpBuilder &builder, OperationState &state, Value input, int64_t length) {
  auto elements = cast<RankedTensorType>(input.getType()).getElementType();
  build(builder, state, RankedTensorType::get({length}, elements), input, /*destination=*/Value());
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// Whether a row of `row` holds all elements of `whole`.
static bool fitsInto(ShapedType whole, ShapedType row) {
  return whole.getElementType() == row.getElementType() &&
         whole.getNumElements() <= row.getNumElements();
}

LogicalResult FlattenOp::verify() {
  bool onBuffers = isa<MemRefType>(getInput().getType());
  if (onBuffers != static_cast<bool>(getDestination()) ||
      onBuffers == static_cast<bool>(getOutput()))
    return violates(*this, 1) << (onBuffers
                                      ? "expected a destination for the memref and no result"
                                      : "expected a result for the tensor and no destination");
  auto from = cast<ShapedType>(getInput().getType());
  auto to = cast<ShapedType>(onBuffers ? Type(getDestination().getType()) : getOutput().getType());
  if (!from.hasStaticShape() || !to.hasStaticShape() || to.getRank() != 1)
    return violates(*this, 2) << "expected static shapes, and one dimension to receive, got "
                              << from << " and " << to;
  if (!fitsInto(from, to))
    return violates(*this, 3) << "expected at least " << from.getNumElements() << " elements of "
                              << from.getElementType() << ", got " << to;
  return success();
}

LogicalResult UnflattenOp::verify() {
  RankedTensorType from = getInput().getType(), to = getOutput().getType();
  if (from.getRank() != 1 || !fitsInto(to, from))
    return violates(*this, 1) << "expected one dimension of at least " << to.getNumElements()
                              << " elements of " << to.getElementType() << ", got " << from;
  return success();
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// The constant `value` in another shape of type `to`; zeros may also become more or fewer.
static OpFoldResult reshapeConstant(Attribute value, RankedTensorType to) {
  auto constant = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!constant)
    return {};
  if (constant.getNumElements() == to.getNumElements())
    return constant.reshape(to);
  Builder builder(to.getContext());
  Attribute zero = builder.getZeroAttr(to.getElementType());
  if (constant.isSplat() && constant.getSplatValue<Attribute>() == zero)
    return DenseElementsAttr::get(to, zero);
  return {};
}

/// The row of which `op` is a view, if it is all of it. Of a longer row the rest need not be zeros.
static Value wholeRowAfter(FlattenOp op) {
  auto unflatten = op.getInput().getDefiningOp<UnflattenOp>();
  if (!unflatten || unflatten.getInput().getType() != op.getOutput().getType())
    return nullptr;
  RankedTensorType row = unflatten.getInput().getType();
  return row.getNumElements() == unflatten.getOutput().getType().getNumElements()
             ? unflatten.getInput()
             : Value();
}

LogicalResult FlattenOp::fold(FoldAdaptor adaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (!getOutput())
    return failure();
  OpFoldResult folded;
  if (getInput().getType() == getOutput().getType())
    folded = getInput();
  else if (Value row = wholeRowAfter(*this))
    folded = row;
  else
    folded = reshapeConstant(adaptor.getInput(), cast<RankedTensorType>(getOutput().getType()));
  if (folded)
    results.push_back(folded);
  return success(static_cast<bool>(folded));
}

OpFoldResult UnflattenOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getOutput().getType())
    return getInput();
  auto flatten = getInput().getDefiningOp<FlattenOp>();
  if (flatten && flatten.getInput().getType() == getOutput().getType())
    return flatten.getInput();
  return reshapeConstant(adaptor.getInput(), getOutput().getType());
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void FlattenOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getDestination())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getInputMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &*getDestinationMutable().begin());
}
