// Types of results inferred again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/specialize/Specialization.h"

#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace tutti::specialize;

/// `type` with the dimensions that only `other` knows. What is no tensor, such as a future, is
/// made of tensors that are refined already.
static Type refineBy(Type type, Type other) {
  if (!isa<TensorType>(type) && type.getTypeID() == other.getTypeID())
    return other;
  auto tensor = dyn_cast<RankedTensorType>(type), better = dyn_cast<RankedTensorType>(other);
  if (!tensor || !better || tensor.getRank() != better.getRank())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, known] : llvm::zip_equal(shape, better.getShape()))
    if (ShapedType::isDynamic(size))
      size = known;
  return tensor.clone(shape);
}

/// The size of an axis that has a part for each of `ranks` more or less; dynamic if they are
/// unknown.
static int64_t resize(int64_t size, bool grows, std::optional<int64_t> ranks) {
  if (!ranks || ShapedType::isDynamic(size))
    return ShapedType::kDynamic;
  return grows ? size * *ranks : size / *ranks;
}

/// The form of a collective, of any dialect, determines the types of its results.
static void inferByForm(tutti::BucketOpInterface bucket, SmallVectorImpl<Type> &types) {
  using Kind = tutti::CommunicationKind;
  auto communication = dyn_cast<tutti::CommunicationOpInterface>(bucket.getOperation());
  if (!communication || communication.getForm().kind == Kind::AllToAll) // which has two axes
    return;
  tutti::CommunicationForm form = communication.getForm();
  bool grows = llvm::is_contained({Kind::AllGather, Kind::Gather}, form.kind);
  bool shrinks = llvm::is_contained({Kind::ReduceScatter, Kind::Scatter}, form.kind);
  tutti::GroupOpInterface group = tutti::findGroup(bucket, form.group);
  std::optional<int64_t> ranks = group ? group.getSizeOfSets() : std::nullopt;
  for (Type input : bucket.getInputs().getTypes()) {
    types.push_back(input);
    auto tensor = dyn_cast<RankedTensorType>(input);
    if (!tensor || !(grows || shrinks) || form.axis >= tensor.getRank())
      continue;
    SmallVector<int64_t> shape(tensor.getShape());
    shape[form.axis] = resize(shape[form.axis], grows, ranks);
    types.back() = tensor.clone(shape);
  }
}

/// The types that the results of `op` have by its operands; empty where the op cannot say.
static LogicalResult inferTypes(Operation *op, SmallVectorImpl<Type> &types) {
  if (auto refinable = dyn_cast<tutti::TypeRefinementOpInterface>(op)) {
    refinable.refineResultTypes(types);
  } else if (auto bucket = dyn_cast<tutti::BucketOpInterface>(op)) {
    inferByForm(bucket, types);
  } else if (isa<tensor::CastOp>(op)) {
    types.push_back(op->getOperand(0).getType());
  } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    types.push_back(
        tensor::ConcatOp::inferResultType(concat.getDim(), concat.getInputs().getTypes()));
  } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    types.push_back(tensor::CollapseShapeOp::inferCollapsedType(collapse.getSrcType(),
                                                                collapse.getReassociationMaps()));
  } else if (auto destined = dyn_cast<DestinationStyleOpInterface>(op)) {
    if (destined.hasPureTensorSemantics())
      llvm::append_range(types, destined.getDpsInits().getTypes());
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
  for (Operation &each : llvm::make_early_inc_range(block)) {
    Operation *op = makeSizesStatic(&each);
    SmallVector<Type> types;
    if (failed(refineRegions(*op)) || failed(inferTypes(op, types)))
      return failure();
    refineAll(op->getResults(), types);
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
