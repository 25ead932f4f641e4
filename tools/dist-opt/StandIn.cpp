// Zeros and inputs in the place of an operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/dist-opt/StandIn.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tutti;

static bool isBatchOnly(RankedTensorType type) {
  return type.getNumDynamicDims() == 1 && type.isDynamicDim(0);
}

static bool canStandIn(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  bool isNumber = type && type.getElementType().isIntOrFloat();
  return value.use_empty() || (isNumber && (type.hasStaticShape() || isBatchOnly(type)));
}

static Value makeInput(func::FuncOp function, RankedTensorType type, Location location) {
  unsigned index = function.getNumArguments();
  Builder builder(function.getContext());
  auto input = train::InputAttr::get(function.getContext(), "stand_in_" + std::to_string(index),
                                     FlatSymbolRefAttr::get(function.getContext(), "data"));
  auto role = builder.getDictionaryAttr(builder.getNamedAttr(train::TrainDialect::kInput, input));
  (void)function.insertArgument(index, type, role, location);
  return function.getArgument(index);
}

static Value makeZeros(Operation *op, RankedTensorType type) {
  OpBuilder builder(op);
  auto zeros = DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
  return onnx::ConstantOp::create(builder, op->getLoc(), zeros);
}

LogicalResult tutti::replaceByStandIn(Operation *op) {
  auto function = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!function || !llvm::all_of(op->getResults(), canStandIn))
    return failure();
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    result.replaceAllUsesWith(type.hasStaticShape() ? makeZeros(op, type)
                                                    : makeInput(function, type, op->getLoc()));
  }
  op->erase();
  return success();
}
