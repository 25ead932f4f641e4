// Buffers as the network wants them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_COLLECTIVE_CONTIGUOUSBUFFER_H
#define TUTTI_DIALECTS_COLLECTIVE_CONTIGUOUSBUFFER_H

#include "dialects/collective/Collective.h"

namespace tutti::collective {

/// The buffer of `tensor` if its elements lie one behind the other, else a new buffer with a copy:
/// a slice of a tensor may have gaps, which the network would not skip.
mlir::FailureOr<mlir::Value>
getContiguousBuffer(mlir::Value tensor, mlir::RewriterBase &rewriter,
                    const mlir::bufferization::BufferizationOptions &options,
                    mlir::bufferization::BufferizationState &state);

} // namespace tutti::collective

#endif // TUTTI_DIALECTS_COLLECTIVE_CONTIGUOUSBUFFER_H
