// Numbers of the operations that draw random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_DRAWNUMBERS_H
#define TUTTI_LIB_PROGRAM_DRAWNUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tutti::program {

/// Numbers what draws in `function`, in order, unless some have numbers already: then those without
/// one are new, and get the next ones. The number is part of what is drawn, so it must depend
/// neither on the number of ranks nor on the order of rewriting: whoever copies a draw, or moves
/// it, calls this before.
void numberDraws(mlir::func::FuncOp function);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_DRAWNUMBERS_H
