// Shapes of values, inferred with the global batch in place of what varies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/GlobalShapes.h"

#include "dialects/train/Train.h"
#include "lib/program/BatchWork.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

std::optional<int64_t> GlobalShapes::lengthOf(Value value) {
  RankedTensorType type = typeOf(value);
  if (!type || type.getRank() == 0 || type.isDynamicDim(0))
    return std::nullopt;
  return type.getDimSize(0);
}

/// `argument` with the global batch of its dataset along its samples, if it is an input of one.
static Type withGlobalBatch(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  train::InputAttr input = findReadInput(argument);
  auto dataset = input ? SymbolTable::lookupNearestSymbolFrom<train::DatasetOp>(
                             argument.getOwner()->getParentOp(), input.getDataset())
                       : train::DatasetOp();
  if (!type || type.getRank() == 0 || !dataset || !dataset.getGlobalBatch())
    return argument.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[input.getAxis()] = *dataset.getGlobalBatch();
  return type.clone(shape);
}

LogicalResult tutti::program::inferResultTypes(Operation *op, TypeRange operands,
                                               SmallVectorImpl<Type> &types) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  if (!inferable)
    return failure();
  Block values; // inference asks values for their types; these have the types to ask for
  for (Type type : operands)
    values.addArgument(type, op->getLoc());
  types.clear();
  return inferable.inferReturnTypes(op->getContext(), std::nullopt, values.getArguments(),
                                    op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                    op->getRegions(), types);
}

/// What the operation of `value` says of its type when its operands have their global shapes.
Type GlobalShapes::infer(OpResult value) {
  SmallVector<Type> operands, types;
  for (Value operand : value.getOwner()->getOperands()) {
    RankedTensorType type = typeOf(operand);
    operands.push_back(type ? Type(type) : operand.getType());
  }
  bool isInferred = succeeded(inferResultTypes(value.getOwner(), operands, types));
  return isInferred ? types[value.getResultNumber()] : value.getType();
}

RankedTensorType GlobalShapes::typeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.hasStaticShape())
    return type;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto argument = dyn_cast<BlockArgument>(value);
  Type global = argument ? withGlobalBatch(argument) : infer(cast<OpResult>(value));
  return known[value] = dyn_cast<RankedTensorType>(global);
}
