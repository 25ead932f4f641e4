// What is known of MLIR's own operations, which cannot answer for themselves whether ranks agree on
// their results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_ANALYSIS_UPSTREAMUNIFORMITY_H
#define TUTTI_LIB_ANALYSIS_UPSTREAMUNIFORMITY_H

#include "mlir/IR/Operation.h"

namespace tutti {

/// How much may be concluded from an operation of a dialect that has no memory effect.
enum class DialectTrust {
  /// Its results are computed from its operands and from what its regions capture.
  Deterministic,
  /// It may read the machine, the device or the process (a thread number, an address, a clock), and
  /// "no effect" does not deny it. All its results vary.
  Opaque,
  /// Not a dialect of MLIR, and nothing is known of it: all its results vary but constants, since
  /// "no effect" does not deny that it asks where it runs.
  Foreign
};

/// How far the dialect `name` is trusted by itself; Trust.h asks others too. Every upstream dialect
/// is in the table.
DialectTrust getDialectTrust(llvm::StringRef name);

/// Why the results of `op` vary whatever its operands are, as a clause; empty if they need not.
/// Covers what the name, the attributes and the types tell; memory effects and operations of
/// foreign dialects are the caller's.
llvm::StringRef getReasonToVary(mlir::Operation *op);

/// Whether the results of `op`, deterministic and without effects, can change with `operand`. The
/// initial contents of a destination that is overwritten as a whole do not.
bool canChangeResults(mlir::OpOperand &operand);

/// Whether `op` runs its regions once for each element of a space that its operands' shapes span,
/// so that operands change what is computed and never how often.
bool isElementLoop(mlir::Operation *op);

} // namespace tutti

#endif // TUTTI_LIB_ANALYSIS_UPSTREAMUNIFORMITY_H
