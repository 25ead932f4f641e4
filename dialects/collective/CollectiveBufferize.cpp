// How buckets on tensors become buckets on memrefs. all_reduce, reduce and broadcast work in place,
// so that One-Shot Bufferize copies an input only where its old value is still needed; the others
// receive into new buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/ContiguousBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tutti::collective;

using Buffers = FailureOr<SmallVector<Value>>;

static Buffers getInputBuffers(BucketOpInterface op, RewriterBase &rewriter,
                               const BufferizationOptions &options, BufferizationState &state) {
  SmallVector<Value> buffers;
  for (Value input : op.getInputs()) {
    FailureOr<Value> buffer = tutti::getContiguousBuffer(input, rewriter, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return buffers;
}

//===----------------------------------------------------------------------===//
// New buffers
//===----------------------------------------------------------------------===//

/// How the extent of a dimension changes: times the size of the group, divided by it, or both.
struct Change {
  bool grows = false, shrinks = false;
};

static Change changeOf(BucketOpInterface bucket, int64_t dimension) {
  Operation *op = bucket;
  if (auto exchange = dyn_cast<AllToAllOp>(op))
    return {static_cast<int64_t>(exchange.getConcatAxis()) == dimension,
            static_cast<int64_t>(exchange.getSplitAxis()) == dimension};
  bool isAxis = op->getAttrOfType<IntegerAttr>("axis").getInt() == dimension;
  return {isAxis && isa<AllGatherOp, GatherOp>(op), isAxis && isa<ReduceScatterOp, ScatterOp>(op)};
}

/// The extent of `dimension` of what arrives for `input`.
static Value extentOf(BucketOpInterface op, RewriterBase &rewriter, Value input,
                      int64_t dimension) {
  Value extent = memref::DimOp::create(rewriter, op.getLoc(), input, dimension);
  Change change = changeOf(op, dimension);
  if (change.grows == change.shrinks)
    return extent;
  Value size = SizeOp::create(rewriter, op.getLoc(), op.getGroupAttr());
  if (change.grows)
    return arith::MulIOp::create(rewriter, op.getLoc(), extent, size);
  return arith::DivUIOp::create(rewriter, op.getLoc(), extent, size);
}

/// Whether some rank may find what was in the destination before.
static bool mayStayUntouched(BucketOpInterface op) {
  return isa<GatherOp>(op) || !isEveryRankMember(op, op.getGroupAttr());
}

static LogicalResult fillWithZeros(BucketOpInterface op, RewriterBase &rewriter, Value buffer) {
  auto zero = rewriter.getZeroAttr(cast<MemRefType>(buffer.getType()).getElementType());
  if (zero.getType().isUnsignedInteger())
    return op->emitOpError("leaves zeros on some ranks, which cannot be made of ")
           << zero.getType() << "; use i8 instead";
  Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(), zero);
  linalg::FillOp::create(rewriter, op.getLoc(), scalar, buffer);
  return success();
}

/// A new buffer for what arrives for `input`.
static FailureOr<Value> allocateOutput(BucketOpInterface op, RewriterBase &rewriter, Value input,
                                       RankedTensorType type, const BufferizationOptions &options) {
  SmallVector<Value> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      extents.push_back(extentOf(op, rewriter, input, i));
  auto memref = MemRefType::get(type.getShape(), type.getElementType());
  FailureOr<Value> buffer = options.createAlloc(rewriter, op.getLoc(), memref, extents);
  if (failed(buffer) || (mayStayUntouched(op) && failed(fillWithZeros(op, rewriter, *buffer))))
    return failure();
  return buffer;
}

static Buffers allocateOutputs(BucketOpInterface op, RewriterBase &rewriter, ValueRange inputs,
                               const BufferizationOptions &options) {
  SmallVector<Value> buffers;
  for (auto [input, output] : llvm::zip(inputs, op.getOutputs())) {
    FailureOr<Value> buffer =
        allocateOutput(op, rewriter, input, cast<RankedTensorType>(output.getType()), options);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return buffers;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// Replaces `op` by its memref form, with the same attributes.
template <typename Op>
static LogicalResult replaceByBuffers(Op op, RewriterBase &rewriter, ArrayRef<Value> inputs,
                                      ArrayRef<Value> destinations) {
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(inputs);
  state.addOperands(destinations);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  auto created = cast<Op>(rewriter.create(state));
  int32_t count = inputs.size();
  created.getProperties().setOperandSegmentSizes({count, count});
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  replaceOpWithBufferizedValues(rewriter, op, destinations);
  return success();
}

template <typename Op>
static LogicalResult bufferizeInPlace(Op op, RewriterBase &rewriter,
                                      const BufferizationOptions &options,
                                      BufferizationState &state) {
  Buffers inputs = getInputBuffers(op, rewriter, options, state);
  return failed(inputs) ? failure() : replaceByBuffers(op, rewriter, *inputs, *inputs);
}

template <typename Op>
static LogicalResult bufferizeOutOfPlace(Op op, RewriterBase &rewriter,
                                         const BufferizationOptions &options,
                                         BufferizationState &state) {
  Buffers inputs = getInputBuffers(op, rewriter, options, state);
  if (failed(inputs))
    return failure();
  Buffers outputs = allocateOutputs(op, rewriter, *inputs, options);
  return failed(outputs) ? failure() : replaceByBuffers(op, rewriter, *inputs, *outputs);
}

#define IN_PLACE(OP)                                                                               \
  bool OP::bufferizesToAllocation(Value) { return false; }                                         \
  bool OP::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }             \
  bool OP::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return true; }            \
  AliasingValueList OP::getAliasingValues(OpOperand &operand, const AnalysisState &) {             \
    return {{getOutputs()[operand.getOperandNumber()], BufferRelation::Equivalent}};               \
  }                                                                                                \
  LogicalResult OP::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,         \
                              BufferizationState &state) {                                         \
    return bufferizeInPlace(*this, rewriter, options, state);                                      \
  }
IN_PLACE(AllReduceOp)
IN_PLACE(ReduceOp)
IN_PLACE(BroadcastOp)
#undef IN_PLACE

#define OUT_OF_PLACE(OP)                                                                           \
  bool OP::bufferizesToAllocation(Value) { return true; }                                          \
  bool OP::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return true; }             \
  bool OP::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }           \
  AliasingValueList OP::getAliasingValues(OpOperand &, const AnalysisState &) { return {}; }       \
  LogicalResult OP::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,         \
                              BufferizationState &state) {                                         \
    return bufferizeOutOfPlace(*this, rewriter, options, state);                                   \
  }
OUT_OF_PLACE(AllGatherOp)
OUT_OF_PLACE(ReduceScatterOp)
OUT_OF_PLACE(GatherOp)
OUT_OF_PLACE(ScatterOp)
OUT_OF_PLACE(AllToAllOp)
#undef OUT_OF_PLACE
