// How collectives on tensors become collectives on memrefs. all_reduce and broadcast work in place,
// so that One-Shot Bufferize copies an input only where its old value is still needed; all_gather
// and reduce_scatter receive into new buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tutti::collective;

using Buffers = FailureOr<SmallVector<Value>>;

static Buffers getInputBuffers(BucketOpInterface op, RewriterBase &rewriter,
                               const BufferizationOptions &options, BufferizationState &state) {
  SmallVector<Value> buffers;
  for (Value input : op.getInputs()) {
    FailureOr<Value> buffer = getBuffer(rewriter, input, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return buffers;
}

/// Result i lives in the buffer of operand i.
static AliasingValueList aliasInPlace(BucketOpInterface op, OpOperand &operand) {
  return {{op.getOutputs()[operand.getOperandNumber()], BufferRelation::Equivalent}};
}

/// The extent of dimension `axis` of a result: `extent` of the input times or divided by the ranks.
static Value scaleExtent(RewriterBase &rewriter, BucketOpInterface op, Value extent, bool grows) {
  Value size = SizeOp::create(rewriter, op.getLoc(), op.getGroupAttr());
  if (grows)
    return arith::MulIOp::create(rewriter, op.getLoc(), extent, size);
  return arith::DivUIOp::create(rewriter, op.getLoc(), extent, size);
}

/// New buffers for what arrives, one for each input.
static Buffers allocateOutputs(BucketOpInterface op, RewriterBase &rewriter, ValueRange inputs,
                               uint64_t axis, bool grows, const BufferizationOptions &options) {
  SmallVector<Value> buffers;
  for (auto [input, output] : llvm::zip(inputs, op.getOutputs())) {
    auto type = cast<RankedTensorType>(output.getType());
    SmallVector<Value> extents;
    for (int64_t i = 0; i < type.getRank(); ++i) {
      if (!type.isDynamicDim(i))
        continue;
      Value extent = memref::DimOp::create(rewriter, op.getLoc(), input, i);
      bool scaled = i == static_cast<int64_t>(axis);
      extents.push_back(scaled ? scaleExtent(rewriter, op, extent, grows) : extent);
    }
    auto memref = MemRefType::get(type.getShape(), type.getElementType());
    FailureOr<Value> buffer = options.createAlloc(rewriter, op.getLoc(), memref, extents);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return buffers;
}

/// Replaces `op` by its memref form, made by `create(inputs, destinations)`.
template <typename OpT, typename... Parameters>
static LogicalResult replaceByBuffers(OpT op, RewriterBase &rewriter, ArrayRef<Value> inputs,
                                      ArrayRef<Value> destinations, Parameters... parameters) {
  OpT::create(rewriter, op.getLoc(), TypeRange(), parameters..., inputs, destinations,
              op.getGroupAttr());
  replaceOpWithBufferizedValues(rewriter, op, destinations);
  return success();
}

#define IN_PLACE(OP)                                                                               \
  bool OP::bufferizesToAllocation(Value) { return false; }                                         \
  bool OP::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }             \
  bool OP::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return true; }            \
  AliasingValueList OP::getAliasingValues(OpOperand &operand, const AnalysisState &) {             \
    return aliasInPlace(*this, operand);                                                           \
  }
IN_PLACE(AllReduceOp)
IN_PLACE(BroadcastOp)
#undef IN_PLACE

#define OUT_OF_PLACE(OP)                                                                           \
  bool OP::bufferizesToAllocation(Value) { return true; }                                          \
  bool OP::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }             \
  bool OP::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }           \
  AliasingValueList OP::getAliasingValues(OpOperand &, const AnalysisState &) { return {}; }
OUT_OF_PLACE(AllGatherOp)
OUT_OF_PLACE(ReduceScatterOp)
#undef OUT_OF_PLACE

LogicalResult AllReduceOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                     BufferizationState &state) {
  Buffers inputs = getInputBuffers(*this, rewriter, options, state);
  if (failed(inputs))
    return failure();
  return replaceByBuffers(*this, rewriter, *inputs, *inputs, getReductionAttr());
}

LogicalResult BroadcastOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                     BufferizationState &state) {
  Buffers inputs = getInputBuffers(*this, rewriter, options, state);
  if (failed(inputs))
    return failure();
  return replaceByBuffers(*this, rewriter, *inputs, *inputs, getRootAttr());
}

LogicalResult AllGatherOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                     BufferizationState &state) {
  Buffers inputs = getInputBuffers(*this, rewriter, options, state);
  if (failed(inputs))
    return failure();
  Buffers outputs = allocateOutputs(*this, rewriter, *inputs, getAxis(), /*grows=*/true, options);
  if (failed(outputs))
    return failure();
  return replaceByBuffers(*this, rewriter, *inputs, *outputs, getAxisAttr());
}

LogicalResult ReduceScatterOp::bufferize(RewriterBase &rewriter,
                                         const BufferizationOptions &options,
                                         BufferizationState &state) {
  Buffers inputs = getInputBuffers(*this, rewriter, options, state);
  if (failed(inputs))
    return failure();
  Buffers outputs = allocateOutputs(*this, rewriter, *inputs, getAxis(), /*grows=*/false, options);
  if (failed(outputs))
    return failure();
  return replaceByBuffers(*this, rewriter, *inputs, *outputs, getReductionAttr(), getAxisAttr());
}
