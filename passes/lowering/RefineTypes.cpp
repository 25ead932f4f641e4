// Types of results inferred again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lowering/RefineTypes.h"

#include "dialects/collective/Collective.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace tutti::collective;

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
  } else if (isa<tensor::CastOp>(op)) {
    types.push_back(op->getOperand(0).getType());
  } else if (auto inferable = dyn_cast<InferTypeOpInterface>(op)) {
    return inferable.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                      op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                      op->getRegions(), types);
  }
  return success();
}

LogicalResult tutti::lowering::refineTypes(func::FuncOp function) {
  Block &body = function.getBody().front();
  for (Operation &op : body) {
    SmallVector<Type> types;
    if (failed(inferTypes(&op, types)))
      return failure();
    for (auto [result, type] : llvm::zip(op.getResults(), types))
      result.setType(refineBy(result.getType(), type));
  }
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
  return success();
}
