// Verifiers of communication that runs beside computation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Violation.h"

using namespace mlir;
using namespace tutti::collective;

static bool mayBeAsynchronous(Operation *op) {
  return isa<CollectiveOpInterface, PointToPointOpInterface>(op) &&
         !isa<CreateGroupOp, DestroyGroupOp>(op);
}

/// What an operation of a body may take from another, and give to it, without work in between.
static bool handsOnAsIs(Operation *op) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  return isa<BucketOpInterface>(op) && !isa<AllToAllOp>(op) && (!axis || axis.getInt() == 0);
}

/// C2, of what `user` takes from other operations of the body.
static LogicalResult verifyHandedOn(AsyncOp op, Operation *user) {
  for (Value operand : user->getOperands()) {
    if (operand.getParentRegion() != &op.getBody())
      continue;
    Operation *maker = operand.getDefiningOp();
    if (!handsOnAsIs(user) || !handsOnAsIs(maker))
      return violates(op, 2) << "'" << user->getName() << "' uses what '" << maker->getName()
                             << "' of the same body has not received yet";
    if (!operand.hasOneUse())
      return violates(op, 2) << "'" << user->getName() << "' takes over what '" << maker->getName()
                             << "' gives, which has another use";
  }
  return success();
}

/// C1: communication only. C2: none waits for what it cannot take over.
static LogicalResult verifyBody(AsyncOp op) {
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (!mayBeAsynchronous(&inner))
      return violates(op, 1) << "'" << inner.getName() << "' is neither a collective nor a message";
    if (failed(verifyHandedOn(op, &inner)))
      return failure();
  }
  return success();
}

LogicalResult AsyncOp::verify() {
  if (failed(verifyBody(*this)))
    return failure();
  TypeRange yielded = getBody().front().getTerminator()->getOperandTypes();
  ArrayRef<Type> promised = getFuture().getType().getTypes();
  if (yielded != TypeRange(promised))
    return violates(*this, 3) << "the body yields " << yielded << ", but the future promises "
                              << promised;
  unsigned awaits = llvm::count_if(getFuture().getUsers(), llvm::IsaPred<AwaitOp>);
  if (awaits > 1)
    return violates(*this, 4) << "the future is awaited " << awaits << " times";
  return success();
}

LogicalResult AwaitOp::verify() {
  auto async = getFuture().getDefiningOp<AsyncOp>();
  if (!async || async->getBlock() != (*this)->getBlock())
    return violates(*this, 1) << "the future is not made by a collective.async of this block";
  ArrayRef<Type> promised = getFuture().getType().getTypes();
  if (TypeRange(getOutputs()) != TypeRange(promised))
    return violates(*this, 2) << "the future promises " << promised << ", not "
                              << getOutputs().getTypes();
  return success();
}

LogicalResult CompleteOp::verify() {
  bool onBuffers = areMemRefs(getOperandTypes());
  if (!onBuffers && !areTensors(getOperandTypes()))
    return violates(*this, 1) << "operands are all tensors or all memrefs";
  if (!onBuffers && TypeRange(getOutputs()) != TypeRange(getPromised()))
    return violates(*this, 1) << "expected one result of the same type for each tensor promised";
  if (onBuffers && !getOutputs().empty())
    return violates(*this, 1) << "expected no result for memrefs";
  return success();
}
