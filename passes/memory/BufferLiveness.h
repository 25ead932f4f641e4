// The live ranges of the temporary buffers of a function, from which memory is planned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_BUFFERLIVENESS_H
#define TUTTI_PASSES_MEMORY_BUFFERLIVENESS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tutti::memory {

/// Bytes of a buffer of `type`, whose shape is static; i1 takes a byte, an index eight.
int64_t bytesOf(mlir::MemRefType type);

/// What `value` shows, all of it or a part, over any number of views; itself if it is no view.
mlir::Value rootOf(mlir::Value value);

/// The buffer all of which `value` shows, in whatever shape, one element after the other; null if
/// it is not one that the function allocates.
mlir::memref::AllocOp allocationOf(mlir::Value value);

/// The node that `op` is of, or the place in a file; empty if it has neither.
std::string nodeOf(mlir::Operation *op);

/// The op that ends what `user` does to its buffers: itself, or the completion of the communication
/// that it starts.
mlir::Operation *completionOf(mlir::Operation *user);

/// Values that may alias the buffer that `user`, in or below `block`, uses: views, selections, and
/// what a region takes and yields.
llvm::SmallVector<mlir::Value> aliasesThrough(mlir::Operation *user, mlir::Block &block);

/// The first and last moment (inclusive) at which a buffer holds something.
struct BufferLife {
  int64_t firstMoment = 0;
  int64_t lastMoment = 0;
};

/// The moments of one function: its ops in the order of the text, those of nested blocks between
/// the start and the end of the op that holds them.
class BufferLiveness {
public:
  /// Numbers the ops of `block` and of what it holds, which must not change while this is in use.
  explicit BufferLiveness(mlir::Block &block);

  /// From the first to the last op that touches `buffer` directly or through what may show it;
  /// communication in the background touches its buffers until it is complete. A buffer that
  /// nothing touches lives where it is allocated.
  ///
  /// A buffer that is made inside a loop lives within one iteration, and one that is made outside
  /// lives through every loop that touches it. Fails, with an error at the allocation, where one
  /// iteration hands a buffer of its own to the next: the two would need different places.
  mlir::FailureOr<BufferLife> of(mlir::memref::AllocOp buffer) const;

  /// The same of a buffer that the function takes; none if nothing touches it.
  std::optional<BufferLife> of(mlir::BlockArgument buffer) const;

  /// When `op` runs; of an op that holds others, from its start to its end.
  BufferLife of(mlir::Operation *op) const { return spans.lookup(op); }

private:
  BufferLife spanOf(mlir::Operation *user, mlir::Block *home) const;
  std::optional<BufferLife> lifeOf(mlir::Value buffer, mlir::Block *home,
                                   llvm::SetVector<mlir::Value> &aliases) const;

  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, BufferLife> spans;
};

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_BUFFERLIVENESS_H
