// Types of results inferred again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/RefineTypes.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/MicroBatches.h"
#include "dialects/train/Rows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace tutti::collective;
using namespace tutti::specialize;

/// `type` with the dimensions that only `other` knows.
static Type refineBy(Type type, Type other) {
  auto tensor = dyn_cast<RankedTensorType>(type), better = dyn_cast<RankedTensorType>(other);
  if (!tensor || !better || tensor.getRank() != better.getRank())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, known] : llvm::zip_equal(shape, better.getShape()))
    if (ShapedType::isDynamic(size))
      size = known;
  return tensor.clone(shape);
}

/// What an input of a collective becomes along `axis`, when the group's size is known.
static Type scaleAxis(Operation *op, FlatSymbolRefAttr group, Type input, int64_t axis,
                      bool grows) {
  auto type = cast<RankedTensorType>(input);
  std::optional<int64_t> ranks = lookupGroupSize(op, group);
  if (!ranks || type.isDynamicDim(axis))
    return input;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = grows ? shape[axis] * *ranks : shape[axis] / *ranks;
  return type.clone(shape);
}

/// The entries of a merged list whose operands have `entries`.
static int64_t mergedLength(tutti::train::MergeRowsOp merge, int64_t entries) {
  std::optional<ArrayRef<int64_t>> parts = merge.getParts();
  if (!parts || ShapedType::isDynamic(entries) || entries % parts->front() != 0)
    return entries;
  return entries / parts->front() * parts->back();
}

static void inferMerged(tutti::train::MergeRowsOp merge, SmallVectorImpl<Type> &types) {
  for (Type operand : {merge.getIndices().getType(), merge.getRows().getType()}) {
    auto list = cast<RankedTensorType>(operand);
    SmallVector<int64_t> shape(list.getShape());
    shape[0] = mergedLength(merge, shape[0]);
    types.push_back(list.clone(shape));
  }
}

/// The types that the results of `op` have by its operands; empty where the op cannot say.
static LogicalResult inferTypes(Operation *op, SmallVectorImpl<Type> &types) {
  if (isa<AllReduceOp, BroadcastOp>(op)) {
    llvm::append_range(types, op->getOperandTypes());
  } else if (auto gather = dyn_cast<AllGatherOp>(op)) {
    for (Type input : gather.getInputs().getTypes())
      types.push_back(scaleAxis(op, gather.getGroupAttr(), input, gather.getAxis(), true));
  } else if (auto scatter = dyn_cast<ReduceScatterOp>(op)) {
    for (Type input : scatter.getInputs().getTypes())
      types.push_back(scaleAxis(op, scatter.getGroupAttr(), input, scatter.getAxis(), false));
  } else if (auto accuracy = dyn_cast<tutti::train::AccuracyOp>(op)) {
    auto labels = cast<RankedTensorType>(accuracy.getLabels().getType());
    types.push_back(cast<RankedTensorType>(accuracy.getType()).clone(labels.getShape()));
  } else if (auto part = dyn_cast<tutti::train::MicroBatchOp>(op)) {
    types.push_back(tutti::train::typeOfPart(part.getBatch().getType(), part.getParts()));
  } else if (auto put = dyn_cast<tutti::train::PutMicroBatchOp>(op)) {
    types.push_back(put.getWhole().getType());
  } else if (auto zeros = dyn_cast<tutti::train::ZeroBatchOp>(op)) {
    auto type = cast<RankedTensorType>(zeros.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = zeros.getLike().getType().getDimSize(0);
    types.push_back(type.clone(shape));
  } else if (auto merge = dyn_cast<tutti::train::MergeRowsOp>(op)) {
    inferMerged(merge, types);
  } else if (auto scatter = dyn_cast<tutti::train::ScatterRowsOp>(op)) {
    SmallVector<int64_t> shape(scatter.getRows().getType().getShape());
    shape[0] = scatter.getTable().getType().getDimSize(0);
    types.push_back(scatter.getTable().getType().clone(shape));
  } else if (isa<tensor::CastOp>(op)) {
    types.push_back(op->getOperand(0).getType());
  } else if (auto inferable = dyn_cast<InferTypeOpInterface>(op)) {
    return inferable.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                      op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                      op->getRegions(), types);
  }
  return success();
}

static void refineAll(ValueRange values, TypeRange types) {
  for (auto [value, type] : llvm::zip(values, types))
    value.setType(refineBy(value.getType(), type));
}

static LogicalResult refineBlock(Block &block);

/// What a loop carries has the type that it starts with, and a branch gives what it yields.
static LogicalResult refineRegions(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    refineAll(loop.getRegionIterArgs(), loop.getInitArgs().getTypes());
  for (Region &region : op.getRegions())
    for (Block &block : region)
      if (failed(refineBlock(block)))
        return failure();
  if (isa<scf::ForOp, scf::IfOp>(op) && op.getNumResults() > 0)
    refineAll(op.getResults(), op.getRegion(0).front().getTerminator()->getOperandTypes());
  return success();
}

static LogicalResult refineBlock(Block &block) {
  for (Operation &op : block) {
    SmallVector<Type> types;
    if (failed(refineRegions(op)) || failed(inferTypes(&op, types)))
      return failure();
    refineAll(op.getResults(), types);
  }
  return success();
}

LogicalResult tutti::specialize::refineTypes(func::FuncOp function) {
  Block &body = function.getBody().front();
  if (failed(refineBlock(body)))
    return failure();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}
