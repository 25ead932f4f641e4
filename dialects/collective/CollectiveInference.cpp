// The types of results, as far as inputs and the size of the group tell them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

using namespace mlir;
using namespace tutti::collective;

/// What follows from the form of other buckets, passes know; all_to_all has two axes.
void AllToAllOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  std::optional<int64_t> ranks = lookupGroupSize(*this, getGroupAttr());
  if (!getDestinations().empty()) // on memrefs there are no results
    return;
  for (Type input : getInputs().getTypes()) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(input).getShape());
    int64_t &joined = shape[getConcatAxis()], &cut = shape[getSplitAxis()];
    if (ranks && !ShapedType::isDynamic(joined))
      joined *= *ranks;
    if (ranks && !ShapedType::isDynamic(cut))
      cut /= *ranks;
    types.push_back(cast<RankedTensorType>(input).clone(shape));
  }
}

void AsyncOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(FutureType::get(
      getContext(), llvm::to_vector(getBody().front().getTerminator()->getOperandTypes())));
}

void AwaitOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  llvm::append_range(types, getFuture().getType().getTypes());
}
