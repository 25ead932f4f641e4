// The dialect `tiny`, and its way to LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TINY_H
#define TINY_H

#include "tutti/dialects/interfaces/Optimizer.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"

#include "TinyDialect.h.inc"

#define GET_OP_CLASSES
#include "Tiny.h.inc"

namespace tiny {

/// Adds the passes from a distributed program to the LLVM dialect. Functions get their results as
/// last parameters.
void addLowering(mlir::OpPassManager &passes);

} // namespace tiny

#endif // TINY_H
