// How exchanges of rows, messages and their completion become operations on memrefs. Rows are
// received into the buffer of `init`; messages into new buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/ContiguousBuffer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tutti::collective;

using Buffers = FailureOr<SmallVector<Value>>;

/// The operands, tensors replaced by their buffers, without gaps.
static Buffers getOperandBuffers(Operation *op, RewriterBase &rewriter,
                                 const BufferizationOptions &options, BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType())) {
      FailureOr<Value> buffer = tutti::getContiguousBuffer(operand, rewriter, options, state);
      if (failed(buffer))
        return failure();
      operand = *buffer;
    }
    operands.push_back(operand);
  }
  return operands;
}

/// The same operation on `operands`, without results.
static Operation *createOnBuffers(Operation *op, RewriterBase &rewriter, ValueRange operands) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *created = rewriter.create(state);
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return created;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult bufferizeRows(Op op, RewriterBase &rewriter,
                                   const BufferizationOptions &options, BufferizationState &state) {
  Buffers operands = getOperandBuffers(op, rewriter, options, state);
  if (failed(operands))
    return failure();
  createOnBuffers(op, rewriter, *operands);
  Value destination = (*operands)[op.getInitMutable().getOperandNumber()];
  replaceOpWithBufferizedValues(rewriter, op, destination);
  return success();
}

#define INTO_INIT(OP)                                                                              \
  bool OP::bufferizesToAllocation(Value) { return false; }                                         \
  bool OP::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }             \
  bool OP::bufferizesToMemoryWrite(OpOperand &operand, const AnalysisState &) {                    \
    return &operand == &getInitMutable();                                                          \
  }                                                                                                \
  AliasingValueList OP::getAliasingValues(OpOperand &operand, const AnalysisState &) {             \
    if (&operand != &getInitMutable() || !getResult())                                             \
      return {};                                                                                   \
    return {{getResult(), BufferRelation::Equivalent}};                                            \
  }                                                                                                \
  LogicalResult OP::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,         \
                              BufferizationState &state) {                                         \
    return bufferizeRows(*this, rewriter, options, state);                                         \
  }
INTO_INIT(AllToAllVOp)
INTO_INIT(AllToAllVCOp)
#undef INTO_INIT

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

bool SendOp::bufferizesToAllocation(Value) { return false; }
bool SendOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }
bool SendOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }
AliasingValueList SendOp::getAliasingValues(OpOperand &, const AnalysisState &) { return {}; }

LogicalResult SendOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                BufferizationState &state) {
  Buffers operands = getOperandBuffers(*this, rewriter, options, state);
  if (failed(operands))
    return failure();
  createOnBuffers(*this, rewriter, *operands);
  rewriter.eraseOp(*this);
  return success();
}

bool RecvOp::bufferizesToAllocation(Value) { return true; }
bool RecvOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return false; }
bool RecvOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }
AliasingValueList RecvOp::getAliasingValues(OpOperand &, const AnalysisState &) { return {}; }

LogicalResult RecvOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                BufferizationState &) {
  SmallVector<Value> operands;
  for (Type type : getOutputs().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    FailureOr<Value> buffer = options.createAlloc(
        rewriter, getLoc(), MemRefType::get(tensor.getShape(), tensor.getElementType()),
        /*dynShape=*/ValueRange());
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  SmallVector<Value> destinations(operands);
  operands.push_back(getPeer());
  createOnBuffers(*this, rewriter, operands);
  replaceOpWithBufferizedValues(rewriter, *this, destinations);
  return success();
}

//===----------------------------------------------------------------------===//
// Completion: reads what was kept and what was promised, so that nothing else is written there
// while communication runs.
//===----------------------------------------------------------------------===//

bool CompleteOp::bufferizesToAllocation(Value) { return false; }
bool CompleteOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }
bool CompleteOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }

AliasingValueList CompleteOp::getAliasingValues(OpOperand &operand, const AnalysisState &) {
  if (operand.getOperandNumber() >= getOutputs().size())
    return {};
  return {{getOutputs()[operand.getOperandNumber()], BufferRelation::Equivalent}};
}

LogicalResult CompleteOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                    BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : getOperands()) {
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  createOnBuffers(*this, rewriter, operands);
  replaceOpWithBufferizedValues(rewriter, *this,
                                ArrayRef(operands).take_front(getPromised().size()));
  return success();
}
