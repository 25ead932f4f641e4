// Verifiers of the collective dialect. Each error cites the constraint of CollectiveOps.td that it
// enforces, spelled <operation>_c<number>.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::collective;

/// Starts an error that cites constraint `number` of the operation.
static InFlightDiagnostic violates(Operation *op, int number) {
  return op->emitOpError() << "violates " << op->getName().stripDialect() << "_c" << number << ": ";
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

LogicalResult GroupOp::verify() {
  if (getSize() && *getSize() < 1)
    return violates(*this, 1) << "a group has at least one rank, not " << *getSize();
  return success();
}

/// C1 of every operation but `group`: the symbol names a group.
static LogicalResult verifyGroup(Operation *op, FlatSymbolRefAttr group,
                                 SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<GroupOp>(op, group))
    return violates(op, 1) << group << " names no collective.group";
  return success();
}

LogicalResult RankOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult SizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult BarrierOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGroup(*this, getGroupAttr(), symbols);
}

/// C1, and C5 of broadcast where the size of the group is known.
LogicalResult BroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyGroup(*this, getGroupAttr(), symbols)))
    return failure();
  auto size = symbols.lookupNearestSymbolFrom<GroupOp>(*this, getGroupAttr()).getSize();
  if (size && getRoot() >= static_cast<uint64_t>(*size))
    return violates(*this, 5) << "root " << getRoot() << " is not a rank of " << getGroupAttr()
                              << ", which has " << *size;
  return success();
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

/// What arrives for the inputs: results or destinations.
static TypeRange getReceivedTypes(BucketOpInterface op) {
  return op.getDestinations().empty() ? TypeRange(op.getOutputs().getTypes())
                                      : TypeRange(op.getDestinations().getTypes());
}

/// C2: there is an input. C3: all tensors with results, or all memrefs with destinations.
static LogicalResult verifyForm(BucketOpInterface op) {
  auto inputs = op.getInputs();
  if (inputs.empty())
    return violates(op, 2) << "a bucket holds at least one input";
  bool onBuffers = isa<BaseMemRefType>(inputs.front().getType());
  for (Value input : inputs)
    if (isa<BaseMemRefType>(input.getType()) != onBuffers)
      return violates(op, 3) << "inputs are all tensors or all memrefs";
  unsigned results = onBuffers ? 0 : inputs.size();
  unsigned destinations = onBuffers ? inputs.size() : 0;
  if (op.getOutputs().size() != results || op.getDestinations().size() != destinations)
    return violates(op, 3) << (onBuffers
                                   ? "expected one destination for each memref and no result"
                                   : "expected one result for each tensor and no destination");
  return success();
}

/// C4 of all_reduce and broadcast: what arrives looks like what was given.
static LogicalResult verifySameShapes(BucketOpInterface op) {
  for (auto [given, received] : llvm::zip(op.getInputs().getTypes(), getReceivedTypes(op))) {
    auto from = cast<ShapedType>(given), to = cast<ShapedType>(received);
    if (from.getElementType() != to.getElementType() || from.getShape() != to.getShape())
      return violates(op, 4) << "expected shape and element type of " << from << ", got " << to;
  }
  return success();
}

/// The mean is taken of floating-point elements.
static LogicalResult verifyMean(BucketOpInterface op, ReductionKind reduction, int constraint) {
  if (reduction != ReductionKind::mean)
    return success();
  for (Type type : op.getInputs().getTypes())
    if (!isa<FloatType>(getElementTypeOrSelf(type)))
      return violates(op, constraint)
             << "the mean of " << getElementTypeOrSelf(type)
             << " elements needs a rounding; reduce with sum, or convert to a float type first";
  return success();
}

/// Whether dimension `large` is `size` times dimension `small`, as far as all three are known.
static bool isMultiple(int64_t small, int64_t large, std::optional<int64_t> size) {
  if (ShapedType::isDynamic(small) || ShapedType::isDynamic(large))
    return true;
  if (size)
    return small * *size == large;
  return small == 0 ? large == 0 : large % small == 0;
}

/// C4 and C5 of all_gather and reduce_scatter: `grows` tells whether what arrives is the larger.
static LogicalResult verifyAlongAxis(BucketOpInterface op, int64_t axis, bool grows) {
  std::optional<int64_t> size = lookupGroupSize(op, op.getGroupAttr());
  for (auto [given, received] : llvm::zip(op.getInputs().getTypes(), getReceivedTypes(op))) {
    auto from = cast<ShapedType>(given), to = cast<ShapedType>(received);
    if (axis < 0 || axis >= from.getRank())
      return violates(op, 4) << "axis " << axis << " is not a dimension of " << from;
    bool matches = from.getElementType() == to.getElementType() && from.getRank() == to.getRank();
    for (int64_t i = 0; matches && i < from.getRank(); ++i) {
      int64_t in = from.getDimSize(i), out = to.getDimSize(i);
      matches = i != axis ? in == out : isMultiple(grows ? in : out, grows ? out : in, size);
    }
    if (!matches)
      return violates(op, 5) << "expected " << from << " with dimension " << axis
                             << (grows ? " multiplied" : " divided")
                             << " by the size of the group, got " << to;
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyForm(*this)) || failed(verifySameShapes(*this)))
    return failure();
  return verifyMean(*this, getReduction(), 5);
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyForm(*this)) || failed(verifySameShapes(*this)))
    return failure();
  if (static_cast<int64_t>(getRoot()) < 0)
    return violates(*this, 5) << "root " << static_cast<int64_t>(getRoot()) << " is not a rank";
  return success();
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  return verifyAlongAxis(*this, getAxis(), /*grows=*/true);
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyForm(*this)) || failed(verifyAlongAxis(*this, getAxis(), /*grows=*/false)))
    return failure();
  return verifyMean(*this, getReduction(), 6);
}
