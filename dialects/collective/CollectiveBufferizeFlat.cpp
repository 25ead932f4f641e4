// How flatten and unflatten become views of buffers, and a copy where zeros must come after.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/ContiguousBuffer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tutti::collective;

using BufferType = FailureOr<BufferLikeType>;

/// The type of what getContiguousBuffer gives for a buffer of `type`.
static MemRefType contiguousType(MemRefType type) {
  bool isContiguous =
      type.getLayout().isIdentity() || memref::isStaticShapeAndContiguousRowMajor(type);
  return isContiguous ? type : MemRefType::get(type.getShape(), type.getElementType());
}

/// `type` with another shape: its elements one after the other, from where they begin.
static MemRefType reshapedType(MemRefType type, ArrayRef<int64_t> shape) {
  if (type.getLayout().isIdentity())
    return MemRefType::get(shape, type.getElementType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto layout = StridedLayoutAttr::get(type.getContext(), offset, computeSuffixProduct(shape));
  return MemRefType::get(shape, type.getElementType(), layout);
}

/// The type of the view in `shape` of the buffer of `tensor`.
static BufferType viewType(Value tensor, ArrayRef<int64_t> shape,
                           const BufferizationOptions &options, const BufferizationState &state,
                           SmallVector<Value> &stack) {
  BufferType buffer = bufferization::getBufferType(tensor, options, state, stack);
  if (failed(buffer))
    return failure();
  return cast<BufferLikeType>(reshapedType(contiguousType(cast<MemRefType>(*buffer)), shape));
}

static SmallVector<OpFoldResult> asIndices(OpBuilder &builder, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

/// The first elements of `buffer` in `shape`.
static Value createView(RewriterBase &rewriter, Location loc, Value buffer,
                        ArrayRef<int64_t> shape) {
  MemRefType type = reshapedType(cast<MemRefType>(buffer.getType()), shape);
  OpFoldResult offset = rewriter.getIndexAttr(0);
  if (!type.getLayout().isIdentity()) {
    auto [strides, known] = type.getStridesAndOffset();
    auto parts = memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
    offset = ShapedType::isDynamic(known) ? OpFoldResult(parts.getOffset())
                                          : OpFoldResult(rewriter.getIndexAttr(known));
    buffer = parts.getBaseBuffer();
  }
  return memref::ReinterpretCastOp::create(rewriter, loc, type, buffer, offset,
                                           asIndices(rewriter, shape),
                                           asIndices(rewriter, computeSuffixProduct(shape)));
}

static LogicalResult replaceByView(Operation *op, RewriterBase &rewriter,
                                   const BufferizationOptions &options, BufferizationState &state) {
  FailureOr<Value> buffer = tutti::getContiguousBuffer(op->getOperand(0), rewriter, options, state);
  if (failed(buffer))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  replaceOpWithBufferizedValues(rewriter, op,
                                createView(rewriter, op->getLoc(), *buffer, type.getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// flatten
//===----------------------------------------------------------------------===//

/// Whether there is nothing after the elements.
static bool isView(FlattenOp op) {
  return op.getOutput() && cast<ShapedType>(op.getInput().getType()).getNumElements() ==
                               cast<ShapedType>(op.getOutput().getType()).getNumElements();
}

bool FlattenOp::bufferizesToAllocation(Value) { return !isView(*this); }
bool FlattenOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return !isView(*this);
}
bool FlattenOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }

AliasingValueList FlattenOp::getAliasingValues(OpOperand &, const AnalysisState &) {
  if (!isView(*this))
    return {};
  return {{getOperation()->getResult(0), BufferRelation::Equivalent}};
}

BufferType FlattenOp::getBufferType(Value value, const BufferizationOptions &options,
                                    const BufferizationState &state, SmallVector<Value> &stack) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isView(*this))
    return viewType(getInput(), type.getShape(), options, state, stack);
  return cast<BufferLikeType>(MemRefType::get(type.getShape(), type.getElementType()));
}

LogicalResult FlattenOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                   BufferizationState &state) {
  if (isView(*this))
    return replaceByView(*this, rewriter, options, state);
  FailureOr<Value> source = getBuffer(rewriter, getInput(), options, state);
  if (failed(source))
    return failure();
  auto type = cast<RankedTensorType>(getOutput().getType());
  FailureOr<Value> row = options.createAlloc(
      rewriter, getLoc(), MemRefType::get(type.getShape(), type.getElementType()), ValueRange());
  if (failed(row))
    return failure();
  FlattenOp::create(rewriter, getLoc(), /*output=*/Type(), *source, *row);
  replaceOpWithBufferizedValues(rewriter, *this, *row);
  return success();
}

//===----------------------------------------------------------------------===//
// unflatten
//===----------------------------------------------------------------------===//

bool UnflattenOp::bufferizesToAllocation(Value) { return false; }
bool UnflattenOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) { return false; }
bool UnflattenOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) { return false; }

AliasingValueList UnflattenOp::getAliasingValues(OpOperand &, const AnalysisState &) {
  return {{getOperation()->getResult(0), BufferRelation::Unknown}};
}

BufferType UnflattenOp::getBufferType(Value value, const BufferizationOptions &options,
                                      const BufferizationState &state, SmallVector<Value> &stack) {
  return viewType(getInput(), cast<RankedTensorType>(value.getType()).getShape(), options, state,
                  stack);
}

LogicalResult UnflattenOp::bufferize(RewriterBase &rewriter, const BufferizationOptions &options,
                                     BufferizationState &state) {
  return replaceByView(*this, rewriter, options, state);
}
