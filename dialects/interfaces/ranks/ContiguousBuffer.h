// Buffers as networks and kernels want them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_INTERFACES_RANKS_CONTIGUOUSBUFFER_H
#define TUTTI_DIALECTS_INTERFACES_RANKS_CONTIGUOUSBUFFER_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"

namespace tutti {

/// The buffer of `tensor` if its elements lie one after the other, else a new buffer with a copy:
/// a slice of a tensor may have gaps, which neither the network nor a kernel would skip.
mlir::FailureOr<mlir::Value>
getContiguousBuffer(mlir::Value tensor, mlir::RewriterBase &rewriter,
                    const mlir::bufferization::BufferizationOptions &options,
                    mlir::bufferization::BufferizationState &state);

} // namespace tutti

#endif // TUTTI_DIALECTS_INTERFACES_RANKS_CONTIGUOUSBUFFER_H
