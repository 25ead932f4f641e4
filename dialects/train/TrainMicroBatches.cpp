// Verifiers of the operations on micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::train;

/// `part` is one of `parts` equal parts of `whole`: constraints 1, 2 and 3 of `op`.
static LogicalResult verifyPart(Operation *op, RankedTensorType part, RankedTensorType whole,
                                int64_t parts) {
  // micro_batch_c1, put_micro_batch_c1
  if (parts < 1)
    return op->emitOpError("must divide the batch into 1 part or more, got ") << parts;
  // micro_batch_c2, put_micro_batch_c2
  if (whole.getRank() == 0)
    return op->emitOpError("needs a batch with rows to divide, got the scalar ") << whole;
  int64_t rows = whole.getDimSize(0);
  if (!ShapedType::isDynamic(rows) && rows % parts != 0)
    return op->emitOpError() << parts << " parts do not divide a batch of " << rows << " rows";
  // micro_batch_c3, put_micro_batch_c3
  SmallVector<int64_t> shape(whole.getShape());
  shape[0] = ShapedType::isDynamic(rows) ? rows : rows / parts;
  if (part.getElementType() != whole.getElementType() ||
      failed(verifyCompatibleShape(part.getShape(), shape)))
    return op->emitOpError("a part of ")
           << whole << " must be " << whole.clone(shape) << ", got " << part;
  return success();
}

LogicalResult MicroBatchOp::verify() {
  return verifyPart(*this, getPart().getType(), getBatch().getType(), getParts());
}

LogicalResult PutMicroBatchOp::verify() {
  return verifyPart(*this, getPart().getType(), getWhole().getType(), getParts());
}

LogicalResult ZeroBatchOp::verify() {
  RankedTensorType like = getLike().getType(), type = getResult().getType();
  // zero_batch_c1
  if (like.getRank() == 0 || type.getRank() == 0 ||
      failed(verifyCompatibleShape(like.getShape().take_front(), type.getShape().take_front())))
    return emitOpError("must have as many rows as its operand: ") << like << " and " << type;
  return success();
}

// Only the number of rows can differ between ranks.
tutti::Uniformity ZeroBatchOp::getResultUniformity(unsigned) {
  return getResult().getType().hasStaticShape() ? Uniformity::Uniform : Uniformity::AsOperands;
}

FailureOr<MicroBatchOp> tutti::train::findMicroBatch(Operation *op) {
  for (Block *block = op->getBlock(); block; block = block->getParentOp()->getBlock()) {
    auto parts = block->getOps<MicroBatchOp>();
    for (MicroBatchOp part : parts)
      if (part->getAttr(kTurn) == op->getAttr(kTurn))
        return part;
    if (!parts.empty())
      return failure();
  }
  return MicroBatchOp();
}

Type tutti::train::typeOfPart(Type whole, int64_t parts) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  if (!shape.empty() && !ShapedType::isDynamic(shape[0]) && parts > 0)
    shape[0] /= parts;
  return type.clone(shape);
}
