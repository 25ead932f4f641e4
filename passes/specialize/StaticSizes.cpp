// Sizes that are operands, written as numbers once these are known.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/Specialization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// The constants among the operands of `op`, null for others.
static SmallVector<Attribute> constantOperands(Operation *op) {
  return llvm::map_to_vector(op->getOperands(), [](Value operand) {
    Attribute constant;
    return matchPattern(operand, m_Constant(&constant)) ? constant : Attribute();
  });
}

/// Of an operation that computes a size: the constant that it is by now, or null.
static Operation *makeConstant(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIndex() || !isPure(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return nullptr;
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constantOperands(op), results)) || results.empty())
    return nullptr;
  auto size = dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(results.front()));
  if (!size)
    return nullptr;
  OpBuilder builder(op);
  return arith::ConstantIndexOp::create(builder, op->getLoc(), size.getInt());
}

static Operation *makeStatic(tensor::EmptyOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)))
    return nullptr;
  OpBuilder builder(op);
  return tensor::EmptyOp::create(builder, op.getLoc(), sizes, op.getType().getElementType(),
                                 op.getType().getEncoding());
}

static Operation *makeStatic(tensor::ExtractSliceOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)))
    return nullptr;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> shape;
  for (auto [dimension, size] : llvm::enumerate(sizes))
    if (!dropped.test(dimension))
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  OpBuilder builder(op);
  return tensor::ExtractSliceOp::create(builder, op.getLoc(), op.getType().clone(shape),
                                        op.getSource(), op.getMixedOffsets(), sizes,
                                        op.getMixedStrides());
}

static Operation *makeStatic(tensor::InsertSliceOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)))
    return nullptr;
  OpBuilder builder(op);
  return tensor::InsertSliceOp::create(builder, op.getLoc(), op.getSource(), op.getDest(),
                                       op.getMixedOffsets(), sizes, op.getMixedStrides());
}

static Operation *makeStatic(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  if (failed(foldDynamicIndexList(sizes, /*onlyNonNegative=*/true)))
    return nullptr;
  auto shape = llvm::map_to_vector(sizes, [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  });
  OpBuilder builder(op);
  return tensor::ExpandShapeOp::create(builder, op.getLoc(), op.getResultType().clone(shape),
                                       op.getSrc(), op.getReassociationIndices(), sizes);
}

Operation *tutti::specialize::makeSizesStatic(Operation *op) {
  Operation *better = llvm::TypeSwitch<Operation *, Operation *>(op)
                          .Case<tensor::EmptyOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
                                tensor::ExpandShapeOp>([](auto sized) { return makeStatic(sized); })
                          .Default([](Operation *other) { return makeConstant(other); });
  if (!better)
    return op;
  if (better->getName() == op->getName())
    better->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(better);
  op->erase();
  return better;
}
