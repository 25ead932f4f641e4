// A buffer with gaps is copied into one without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/ranks/ContiguousBuffer.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mlir::bufferization;

FailureOr<Value> tutti::getContiguousBuffer(Value tensor, RewriterBase &rewriter,
                                            const BufferizationOptions &options,
                                            BufferizationState &state) {
  FailureOr<Value> buffer = getBuffer(rewriter, tensor, options, state);
  if (failed(buffer))
    return failure();
  auto type = cast<MemRefType>(buffer->getType());
  if (type.getLayout().isIdentity() || memref::isStaticShapeAndContiguousRowMajor(type))
    return buffer;
  SmallVector<Value> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      extents.push_back(memref::DimOp::create(rewriter, tensor.getLoc(), *buffer, i));
  auto contiguous = MemRefType::get(type.getShape(), type.getElementType());
  FailureOr<Value> copy = options.createAlloc(rewriter, tensor.getLoc(), contiguous, extents);
  if (failed(copy))
    return failure();
  // A loop rather than memref.copy, which calls a library for what has gaps.
  linalg::CopyOp::create(rewriter, tensor.getLoc(), *buffer, *copy);
  return copy;
}
