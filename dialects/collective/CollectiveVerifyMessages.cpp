// Verifiers of exchanges of rows and of messages between two ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Violation.h"

using namespace mlir;
using namespace tutti::collective;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// C2: all tensors with a result of the type of init, or all memrefs without. C3: rows match.
template <typename Op> static LogicalResult verifyRows(Op op) {
  TypeRange operands = op->getOperandTypes();
  Type init = op.getInit().getType();
  bool onBuffers = areMemRefs(operands);
  if (!onBuffers && !areTensors(operands))
    return violates(op, 2) << "operands are all tensors or all memrefs";
  TypeRange results = op->getResultTypes();
  if (onBuffers ? !results.empty() : results != TypeRange(init))
    return violates(op, 2) << (onBuffers ? "expected no result of an exchange of memrefs"
                                         : "expected one result, of the type of the tensor that "
                                           "receives");
  auto from = cast<ShapedType>(op.getData().getType()), to = cast<ShapedType>(init);
  if (from.getElementType() != to.getElementType() || from.getRank() != to.getRank() ||
      from.getRank() == 0 || from.getShape().drop_front() != to.getShape().drop_front())
    return violates(op, 3) << "expected rows of one type, got " << from << " and " << to;
  return success();
}

/// Whether `extent` can be the number of ranks.
static bool countsRanks(int64_t extent, std::optional<int64_t> size) {
  return ShapedType::isDynamic(extent) || !size || extent == *size;
}

LogicalResult AllToAllVOp::verify() {
  if (failed(verifyRows(*this)))
    return failure();
  std::optional<int64_t> size = lookupGroupSize(*this, getGroupAttr());
  for (Value counts :
       {getSendCounts(), getSendDisplacements(), getReceiveCounts(), getReceiveDisplacements()}) {
    auto type = cast<ShapedType>(counts.getType());
    if (type.getRank() == 1 && !size && !type.isDynamicDim(0))
      size = type.getDimSize(0);
    if (type.getRank() != 1 || !countsRanks(type.getDimSize(0), size))
      return violates(*this, 4) << "expected vectors with one entry for each rank of "
                                << getGroupAttr() << ", got " << type;
  }
  return success();
}

LogicalResult AllToAllVCOp::verify() {
  if (failed(verifyRows(*this)))
    return failure();
  std::optional<int64_t> size = lookupGroupSize(*this, getGroupAttr());
  auto type = cast<ShapedType>(getCounts().getType());
  if (!size && type.getRank() == 2 && !type.isDynamicDim(0))
    size = type.getDimSize(0);
  if (type.getRank() != 2 || !countsRanks(type.getDimSize(0), size) ||
      !countsRanks(type.getDimSize(1), size))
    return violates(*this, 4) << "expected a matrix with one row and one column for each rank of "
                              << getGroupAttr() << ", got " << type;
  return success();
}

LogicalResult AllToAllVOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult AllToAllVCOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// C4: the peer is a rank of the group. C5: it is another rank.
static LogicalResult verifyPeer(PointToPointOpInterface op) {
  std::optional<int64_t> size = lookupGroupSize(op, op.getGroupAttr());
  if (std::optional<int64_t> peer = getConstantIndex(op.getPeer())) {
    if (*peer < 0)
      return violates(op, 4) << "peer " << *peer << " is not a rank";
    if (size && *peer >= *size)
      return violates(op, 4) << "peer " << *peer << " is not a rank of " << op.getGroupAttr()
                             << ", which has " << *size;
  }
  auto rank = op.getPeer().getDefiningOp<RankOp>();
  if (rank && rank.getGroupAttr() == op.getGroupAttr())
    return violates(op, 5) << "the peer is this rank itself";
  if (size == 1)
    return violates(op, 5) << op.getGroupAttr()
                           << " has one rank in each set, so that there is no peer";
  return success();
}

/// C1, C4, C5 and C6.
static LogicalResult verifyMessage(PointToPointOpInterface op, SymbolTableCollection &symbols) {
  if (failed(verifyGroup(op, op.getGroupAttr(), symbols)) || failed(verifyPeer(op)))
    return failure();
  if (static_cast<int64_t>(op.getTag()) < 0)
    return violates(op, 6) << "tag " << static_cast<int64_t>(op.getTag()) << " is negative";
  return success();
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMessage(*this, symbols);
}

LogicalResult RecvOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMessage(*this, symbols);
}

LogicalResult SendOp::verify() {
  if (getInputs().empty())
    return violates(*this, 2) << "a message holds at least one input";
  if (!areMemRefs(getInputs().getTypes()) && !areTensors(getInputs().getTypes()))
    return violates(*this, 3) << "inputs are all tensors or all memrefs";
  return success();
}

LogicalResult RecvOp::verify() {
  if (getDestinations().empty() && getOutputs().empty())
    return violates(*this, 2) << "a message holds at least one result or destination";
  if (!getDestinations().empty() && !getOutputs().empty())
    return violates(*this, 3) << "expected results or destinations, not both";
  for (Type type : getOutputs().getTypes())
    if (!isa<RankedTensorType>(type))
      return violates(*this, 3) << "a result is a tensor, not " << type;
    else if (!cast<ShapedType>(type).hasStaticShape())
      return violates(*this, 7) << type << " has no static shape";
  return success();
}
