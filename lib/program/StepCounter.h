// The number of steps that a program has done, as one of its variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_LIB_PROGRAM_STEPCOUNTER_H
#define TUTTI_LIB_PROGRAM_STEPCOUNTER_H

#include "lib/program/Program.h"

namespace tutti::program {

/// The number of steps including the one that `@step` does (`tensor<i64>`): what it returns as a
/// replicated variable that is zero at first and that it adds one to; null if it has none.
mlir::Value findStepCounter(Program program);

/// Adds such a variable under `name`, behind the other variables, and returns its new value.
mlir::Value addStepCounter(Program program, llvm::StringRef name);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_STEPCOUNTER_H
