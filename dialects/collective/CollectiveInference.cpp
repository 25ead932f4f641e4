// The types of results, as far as inputs and the size of the group tell them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

using namespace mlir;
using namespace tutti::collective;

namespace {
/// How a result differs from its input: one axis has a part for each rank more, or less.
struct AxisChange {
  std::optional<int64_t> grows, shrinks;
};
} // namespace

static bool isKnownAxis(const SmallVector<int64_t> &shape, int64_t axis) {
  return axis >= 0 && axis < int64_t(shape.size()) && !ShapedType::isDynamic(shape[axis]);
}

/// Without the size of the group, the changed axes are as the input has them.
static Type withAxes(Type input, const AxisChange &change, std::optional<int64_t> ranks) {
  auto type = cast<RankedTensorType>(input);
  SmallVector<int64_t> shape(type.getShape());
  if (ranks && change.grows && isKnownAxis(shape, *change.grows))
    shape[*change.grows] *= *ranks;
  if (ranks && change.shrinks && isKnownAxis(shape, *change.shrinks))
    shape[*change.shrinks] /= *ranks;
  return type.clone(shape);
}

/// On memrefs there are no results.
static void refineTypes(BucketOpInterface op, SmallVectorImpl<Type> &types,
                        const AxisChange &change = {}) {
  if (!op.getDestinations().empty())
    return;
  std::optional<int64_t> ranks = lookupGroupSize(op, op.getGroupAttr());
  for (Type input : op.getInputs().getTypes())
    types.push_back(withAxes(input, change, ranks));
}

void AllReduceOp::refineResultTypes(SmallVectorImpl<Type> &types) { refineTypes(*this, types); }
void ReduceOp::refineResultTypes(SmallVectorImpl<Type> &types) { refineTypes(*this, types); }
void BroadcastOp::refineResultTypes(SmallVectorImpl<Type> &types) { refineTypes(*this, types); }

void AllGatherOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  refineTypes(*this, types, {int64_t(getAxis()), std::nullopt});
}

void GatherOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  refineTypes(*this, types, {int64_t(getAxis()), std::nullopt});
}

void ScatterOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  refineTypes(*this, types, {std::nullopt, int64_t(getAxis())});
}

void ReduceScatterOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  refineTypes(*this, types, {std::nullopt, int64_t(getAxis())});
}

void AllToAllOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  refineTypes(*this, types, {int64_t(getConcatAxis()), int64_t(getSplitAxis())});
}

void AsyncOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(FutureType::get(
      getContext(), llvm::to_vector(getBody().front().getTerminator()->getOperandTypes())));
}

void AwaitOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  llvm::append_range(types, getFuture().getType().getTypes());
}
