// Verifiers, types and folds of the operations on the parts of a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::train;

LogicalResult BatchTotalOp::verify() {
  // batch_total_c1
  if (llvm::is_contained({"sum", "max", "min"}, getReduction()))
    return success();
  return emitOpError("reduces by sum, max or min, got \"") << getReduction() << "\"";
}

/// `axis` is a dimension of `type` whose size is not known: constraint 1 of the moves.
static LogicalResult verifyAxis(Operation *op, RankedTensorType type, int64_t axis) {
  if (axis < 0 || axis >= type.getRank())
    return op->emitOpError("axis ") << axis << " is no dimension of " << type;
  if (!type.isDynamicDim(axis))
    return op->emitOpError("dimension ")
           << axis << " of " << type << " holds samples, and must be `?`";
  return success();
}

LogicalResult BatchGatherOp::verify() { // batch_gather_c1
  return verifyAxis(*this, cast<RankedTensorType>(getNumber().getType()), getAxis());
}

LogicalResult BatchPieceOp::verify() { // batch_piece_c1
  return verifyAxis(*this, cast<RankedTensorType>(getNumber().getType()), getAxis());
}

LogicalResult BatchScatterOp::verify() { // batch_scatter_c1
  return verifyAxis(*this, cast<RankedTensorType>(getNumber().getType()), getAxis());
}

static std::optional<int64_t> getConstant(Value index) {
  IntegerAttr number;
  return matchPattern(index, m_Constant(&number)) ? std::optional(number.getInt()) : std::nullopt;
}

/// The type of a piece: the `count`-th part of dimension `axis`.
static RankedTensorType typeOfPiece(RankedTensorType whole, int64_t axis, Value count) {
  SmallVector<int64_t> shape(whole.getShape());
  std::optional<int64_t> pieces = getConstant(count);
  if (!ShapedType::isDynamic(shape[axis]))
    shape[axis] = pieces && *pieces > 0 && shape[axis] % *pieces == 0 ? shape[axis] / *pieces
                                                                      : ShapedType::kDynamic;
  return whole.clone(shape);
}

LogicalResult PieceOp::verify() {
  RankedTensorType whole = getWhole().getType(), type = getResult().getType();
  // piece_c1
  if (static_cast<int64_t>(getAxis()) < 0 || static_cast<int64_t>(getAxis()) >= whole.getRank())
    return emitOpError("axis ") << getAxis() << " is no dimension of " << whole;
  // piece_c2
  RankedTensorType expected = typeOfPiece(whole, getAxis(), getCount());
  if (type.getElementType() != whole.getElementType() ||
      failed(verifyCompatibleShape(type.getShape(), expected.getShape())))
    return emitOpError("a piece of ") << whole << " must be " << expected << ", got " << type;
  return success();
}

void PieceOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(typeOfPiece(getWhole().getType(), getAxis(), getCount()));
}

/// One piece is the whole.
OpFoldResult PieceOp::fold(FoldAdaptor) {
  bool isWhole = getConstant(getCount()) == 1 && getWhole().getType() == getResult().getType();
  return isWhole ? getWhole() : Value();
}
