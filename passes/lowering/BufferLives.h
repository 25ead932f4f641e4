// When the temporary buffers of a function hold something: what the memory plan is made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_LOWERING_BUFFERLIVES_H
#define TUTTI_PASSES_LOWERING_BUFFERLIVES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"

namespace tutti::lowering {

/// Bytes of a buffer of `type`, whose shape is static; i1 takes a byte, an index eight.
int64_t bytesOf(mlir::MemRefType type);

/// The first and last moment (inclusive) at which a buffer holds something.
struct BufferLife {
  int64_t firstMoment = 0;
  int64_t lastMoment = 0;
};

/// The moments of one function: each op of its block is one, and so are all ops inside that op.
class BufferLives {
public:
  /// Numbers the ops of `block`, which must not change while this is in use.
  explicit BufferLives(mlir::Block &block);

  /// From the first to the last op that touches `buffer`, which stands in the block, directly or
  /// through what may show it; communication in the background touches its buffers until it is
  /// complete. A buffer that nothing touches lives where it is allocated.
  BufferLife of(mlir::memref::AllocOp buffer) const;

private:
  int64_t momentOf(mlir::Operation *op) const;

  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, int64_t> moments;
};

} // namespace tutti::lowering

#endif // TUTTI_PASSES_LOWERING_BUFFERLIVES_H
