// Verifiers of the collectives that hold a bucket of inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Effects.h"
#include "dialects/collective/Violation.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti::collective;

#define NAMES_A_GROUP(OP)                                                                          \
  LogicalResult OP::verifySymbolUses(SymbolTableCollection &symbols) {                             \
    return verifyGroup(*this, getGroupAttr(), symbols);                                            \
  }
NAMES_A_GROUP(AllReduceOp)
NAMES_A_GROUP(ReduceScatterOp)
NAMES_A_GROUP(AllGatherOp)
NAMES_A_GROUP(AllToAllOp)
#undef NAMES_A_GROUP

#define NAMES_A_GROUP_AND_A_ROOT(OP, CONSTRAINT)                                                   \
  LogicalResult OP::verifySymbolUses(SymbolTableCollection &symbols) {                             \
    if (failed(verifyGroup(*this, getGroupAttr(), symbols)))                                       \
      return failure();                                                                            \
    return verifyRoot(*this, getRoot(), getGroupAttr(), CONSTRAINT);                               \
  }
NAMES_A_GROUP_AND_A_ROOT(BroadcastOp, 5)
NAMES_A_GROUP_AND_A_ROOT(ReduceOp, 5)
NAMES_A_GROUP_AND_A_ROOT(GatherOp, 6)
NAMES_A_GROUP_AND_A_ROOT(ScatterOp, 6)
#undef NAMES_A_GROUP_AND_A_ROOT

/// What arrives for the inputs: results or destinations.
static TypeRange getReceivedTypes(BucketOpInterface op) {
  return op.getDestinations().empty() ? TypeRange(op.getOutputs().getTypes())
                                      : TypeRange(op.getDestinations().getTypes());
}

/// C2: there is an input. C3: all tensors with results, or all memrefs with destinations. The mark
/// that all of them may carry has no value, that of an all_gather an integer.
static LogicalResult verifyForm(BucketOpInterface op) {
  Attribute distinct = op->getAttr(kDistinct);
  if (distinct && !isa<UnitAttr>(distinct))
    return op->emitOpError() << kDistinct << " has no value, but is " << distinct;
  Attribute use = op->getAttr(kRegather);
  if (use && (!isa<IntegerAttr>(use) || !isa<AllGatherOp>(op)))
    return op->emitOpError() << kRegather << " is the number of a use, of an all_gather, but is "
                             << use << " here";
  auto inputs = op.getInputs();
  if (inputs.empty())
    return violates(op, 2) << "a bucket holds at least one input";
  bool onBuffers = areMemRefs(inputs.getTypes());
  if (!onBuffers && !areTensors(inputs.getTypes()))
    return violates(op, 3) << "inputs are all tensors or all memrefs";
  unsigned results = onBuffers ? 0 : inputs.size();
  unsigned destinations = onBuffers ? inputs.size() : 0;
  if (op.getOutputs().size() != results || op.getDestinations().size() != destinations)
    return violates(op, 3) << (onBuffers
                                   ? "expected one destination for each memref and no result"
                                   : "expected one result for each tensor and no destination");
  return success();
}

/// C4 where nothing changes its shape: what arrives looks like what was given.
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

/// C4 and C5 of those that join or cut along an axis: `grows` tells whether what arrives is larger.
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

LogicalResult ReduceOp::verify() {
  if (failed(verifyForm(*this)) || failed(verifySameShapes(*this)))
    return failure();
  return verifyMean(*this, getReduction(), 6);
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  return verifySameShapes(*this);
}

template <typename Op> static LogicalResult verifyJoinOrCut(Op op, bool grows) {
  if (failed(verifyForm(op)))
    return failure();
  return verifyAlongAxis(op, op.getAxis(), grows);
}

LogicalResult AllGatherOp::verify() { return verifyJoinOrCut(*this, /*grows=*/true); }
LogicalResult GatherOp::verify() { return verifyJoinOrCut(*this, /*grows=*/true); }
LogicalResult ScatterOp::verify() { return verifyJoinOrCut(*this, /*grows=*/false); }

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyJoinOrCut(*this, /*grows=*/false)))
    return failure();
  return verifyMean(*this, getReduction(), 6);
}

//===----------------------------------------------------------------------===//
// all_to_all
//===----------------------------------------------------------------------===//

/// The shape that `from` has after its dimension `split` was cut and its dimension `concat` joined;
/// nothing if it cannot be cut so. Without a size both are unknown.
static std::optional<SmallVector<int64_t>>
exchangedShape(ShapedType from, int64_t split, int64_t concat, std::optional<int64_t> size) {
  SmallVector<int64_t> shape(from.getShape());
  if (split == concat && (!size || ShapedType::isDynamic(shape[split])))
    return shape;
  auto scale = [&](int64_t axis, bool grows) {
    int64_t &extent = shape[axis];
    if (!size)
      extent = ShapedType::kDynamic;
    else if (!ShapedType::isDynamic(extent))
      extent = grows ? extent * *size : extent / *size;
  };
  if (size && !ShapedType::isDynamic(shape[split]) && shape[split] % *size != 0)
    return std::nullopt;
  scale(split, /*grows=*/false);
  scale(concat, /*grows=*/true);
  return shape;
}

/// C4 and C5 of all_to_all.
static LogicalResult verifyExchange(AllToAllOp op) {
  int64_t split = op.getSplitAxis(), concat = op.getConcatAxis();
  std::optional<int64_t> size = lookupGroupSize(op, op.getGroupAttr());
  for (auto [given, received] : llvm::zip(op.getInputs().getTypes(), getReceivedTypes(op))) {
    auto from = cast<ShapedType>(given), to = cast<ShapedType>(received);
    for (int64_t axis : {split, concat})
      if (axis < 0 || axis >= from.getRank())
        return violates(op, 4) << "axis " << axis << " is not a dimension of " << from;
    auto shape = exchangedShape(from, split, concat, size);
    if (!shape || from.getElementType() != to.getElementType() ||
        failed(verifyCompatibleShape(*shape, to.getShape())))
      return violates(op, 5) << "expected " << from << " with dimension " << split
                             << " divided and then dimension " << concat
                             << " multiplied by the size of the group, got " << to;
  }
  return success();
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyForm(*this)))
    return failure();
  return verifyExchange(*this);
}
