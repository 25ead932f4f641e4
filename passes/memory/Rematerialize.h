// Values that are computed again where they are needed late, so that a function takes less memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_MEMORY_REMATERIALIZE_H
#define TUTTI_PASSES_MEMORY_REMATERIALIZE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::memory {

struct Rematerialization {
  unsigned operations = 0; ///< that run a second time
  double seconds = 0;      ///< that they take, roughly: on a typical processor core
  bool fits = false;       ///< what lives does; else nothing more helps
};

/// Repeats operations of `function`, which is on buffers, before late uses of what they compute,
/// until its temporary buffers fit into `budget` bytes, or nothing more helps. What a repeated
/// operation reads has not changed since, so every buffer holds the same bits as before. Only
/// Linalg, copies and kernels are repeated; never communication, and nothing inside a branch. The
/// body of a loop is a schedule of its own. Fails, with an error, where a live range is not known.
mlir::FailureOr<Rematerialization> rematerialize(mlir::func::FuncOp function, int64_t budget);

/// "1.5 MiB at 'conv2'; 640.0 KiB of 'relu1', ...": the moment at which the most bytes of
/// `function` live, and the largest of its buffers then.
std::string describePeak(mlir::func::FuncOp function);

} // namespace tutti::memory

#endif // TUTTI_PASSES_MEMORY_REMATERIALIZE_H
