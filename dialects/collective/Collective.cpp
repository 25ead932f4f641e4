// Registration of the collective dialect, and what its operations say of themselves: memory
// effects and uniformity.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include "dialects/collective/CollectiveDialect.cpp.inc"
#include "dialects/collective/CollectiveEnums.cpp.inc"

#include "dialects/collective/CollectiveInterfaces.cpp.inc"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

void CollectiveDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/collective/CollectiveOps.cpp.inc"
      >();
}

Operation *CollectiveDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                  Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

GroupOp tutti::collective::lookupGroup(Operation *user, FlatSymbolRefAttr group) {
  return SymbolTable::lookupNearestSymbolFrom<GroupOp>(user, group);
}

std::optional<int64_t> tutti::collective::lookupGroupSize(Operation *user,
                                                          FlatSymbolRefAttr group) {
  GroupOp op = lookupGroup(user, group);
  return op && op.getSize() ? std::optional<int64_t>(*op.getSize()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

void AllReduceOp::build(OpBuilder &builder, OperationState &state, ReductionKind reduction,
                        ValueRange tensors, FlatSymbolRefAttr group) {
  build(builder, state, TypeRange(tensors), ReductionKindAttr::get(builder.getContext(), reduction),
        tensors, ValueRange(), group);
}

void BroadcastOp::build(OpBuilder &builder, OperationState &state, int64_t root, ValueRange tensors,
                        FlatSymbolRefAttr group) {
  build(builder, state, TypeRange(tensors), builder.getI64IntegerAttr(root), tensors, ValueRange(),
        group);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

void RankOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "rank"); }
void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), "size"); }

//===----------------------------------------------------------------------===//
// Uniformity: what a collective gives to all ranks is equal on all of them.
//===----------------------------------------------------------------------===//

Uniformity RankOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity SizeOp::getResultUniformity(unsigned) { return Uniformity::Uniform; }
Uniformity AllReduceOp::getResultUniformity(unsigned) { return Uniformity::Uniform; }
Uniformity BroadcastOp::getResultUniformity(unsigned) { return Uniformity::Uniform; }
Uniformity AllGatherOp::getResultUniformity(unsigned) { return Uniformity::Uniform; }
Uniformity ReduceScatterOp::getResultUniformity(unsigned) { return Uniformity::Varying; }

//===----------------------------------------------------------------------===//
// Memory effects: none on tensors.
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addBufferEffects(BucketOpInterface op, Effects &effects) {
  unsigned destination = op.getDestinations().empty() ? 0 : op.getInputs().size();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    if (operand.getOperandNumber() < destination)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
  if (destination)
    effects.emplace_back(MemoryEffects::Write::get(), NetworkResource::get());
}

void AllReduceOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void BroadcastOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void AllGatherOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }
void ReduceScatterOp::getEffects(Effects &effects) { addBufferEffects(*this, effects); }

void BarrierOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), NetworkResource::get());
}

//===----------------------------------------------------------------------===//
// Syntax: the types of the inputs, then `->` and the types of the outputs or destinations where
// they differ from those of the inputs.
//===----------------------------------------------------------------------===//

static ParseResult parseBucketTypes(OpAsmParser &parser,
                                    ArrayRef<OpAsmParser::UnresolvedOperand> destinations,
                                    SmallVectorImpl<Type> &inputTypes,
                                    SmallVectorImpl<Type> &destinationTypes,
                                    SmallVectorImpl<Type> &outputTypes) {
  if (parser.parseTypeList(inputTypes))
    return failure();
  SmallVector<Type> received(inputTypes.begin(), inputTypes.end());
  if (succeeded(parser.parseOptionalArrow())) {
    received.clear();
    if (parser.parseTypeList(received))
      return failure();
  }
  (destinations.empty() ? outputTypes : destinationTypes) = std::move(received);
  return success();
}

static void printBucketTypes(OpAsmPrinter &printer, Operation *, OperandRange destinations,
                             TypeRange inputTypes, TypeRange destinationTypes,
                             TypeRange outputTypes) {
  printer << inputTypes;
  TypeRange received = destinations.empty() ? outputTypes : destinationTypes;
  if (received != inputTypes)
    printer << " -> " << received;
}

#define GET_OP_CLASSES
#include "dialects/collective/CollectiveOps.cpp.inc"
