// What optimizers do to rows of a table that a step does not touch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_GRADIENTS_ROWUPDATES_H
#define TUTTI_LIB_PROGRAM_GRADIENTS_ROWUPDATES_H

#include "lib/diagnostics/Refusal.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace tutti::program {

/// Why `optimizer` also changes rows whose gradient is 0; empty if it leaves them, and their
/// states, as they are.
Refusal whyAllRowsChange(mlir::Operation *optimizer);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_GRADIENTS_ROWUPDATES_H
