// Constructors and registration of the distribution passes, and the choices they offer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_PASSES_H
#define TUTTI_PASSES_DISTRIBUTION_PASSES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tutti::distribution {

/// How the gradients of ranks become one.
enum class GradientReduction { Mean, Sum };

/// How learning rates follow from the number of ranks.
enum class RateScaling { None, Linear, Sqrt };

/// How the gradients of lookups, which are lists of rows, are reduced over the ranks.
enum class SparseMode { Auto, Rows, Dense };

/// Which server holds a row of a table: that of its range, or that of its hash.
enum class TablePlacement { Range, Hash };

/// As what rows travel between workers and servers: as they are, or rounded to 16 bits.
enum class TableWire { None, BF16, F16 };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/distribution/Passes.h.inc"

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_PASSES_H
