// The types of results, as far as operands tell them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/Train.h"

using namespace mlir;
using namespace tutti::train;

// Inference runs before the verifier: operands may not fit together here.

/// `value` with `length` as dimension 0.
static Type withRows(Value value, int64_t length) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = length;
  return type.clone(shape);
}

/// Dimension 0 of `value`; dynamic for a scalar.
static int64_t countRows(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 0 ? ShapedType::kDynamic : type.getDimSize(0);
}

LogicalResult AccuracyOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                           Adaptor op, SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({countRows(op.getLabels())}, Float32Type::get(context)));
  return success();
}

LogicalResult MicroBatchOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor op,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(typeOfPart(op.getBatch().getType(), op.getParts()));
  return success();
}

void ZeroBatchOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(withRows(getResult(), countRows(getLike())));
}

/// The entries of a merged list whose operands have `entries`.
static int64_t mergedLength(std::optional<ArrayRef<int64_t>> parts, int64_t entries) {
  if (!parts || parts->size() != 2 || parts->front() < 1 || ShapedType::isDynamic(entries) ||
      entries % parts->front() != 0)
    return entries;
  return entries / parts->front() * parts->back();
}

LogicalResult MergeRowsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  for (Value list : {op.getIndices(), op.getRows()})
    types.push_back(withRows(list, mergedLength(op.getParts(), countRows(list))));
  return success();
}

LogicalResult GatherRowsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor op,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(withRows(op.getTable(), countRows(op.getIndices())));
  return success();
}

/// The number of rows of the table is that of its type, always.
void ScatterRowsOp::refineResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(withRows(getRows(), countRows(getTable())));
}
