// How much may be concluded from an operation that says nothing of ranks itself: by the word of its
// dialect, of the program, or of a table of MLIR's own dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_TRUST_H
#define TUTTI_LIB_ANALYSIS_TRUST_H

#include "lib/analysis/UpstreamUniformity.h"

namespace tutti {

/// How far `op` is trusted: as its dialect answers (UniformityDialectInterface), as the program
/// declares (`train.deterministic`), else as the table of upstream dialects says.
DialectTrust getTrust(mlir::Operation *op);

/// Whether the program itself, by `train.deterministic` on `op` or on a module around it, declares
/// that equal operands give equal bits on every rank. It is believed of operations that declare no
/// memory effects, registered or not.
bool isDeclaredDeterministic(mlir::Operation *op);

/// Whether it is defined how often, and in which order, `op` runs its regions.
bool definesOrder(mlir::Operation *op);

/// The nearest operation around `op`, within its function, that runs it in no defined order or
/// number of times; null if none does.
mlir::Operation *findUndefinedOrder(mlir::Operation *op);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_TRUST_H
