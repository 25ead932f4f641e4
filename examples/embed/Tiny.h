// The dialect `tiny`, and its way to LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TINY_H
#define TINY_H

#include "tutti/dialects/interfaces/All.h"

#include "TinyDialect.h.inc"
#define GET_OP_CLASSES
#include "Tiny.h.inc"

namespace tiny {
/// Turns a distributed program of static shapes into the LLVM dialect: functions take pointers to
/// arguments, which they may overwrite, then to results, and call tiny_buffer and tiny_exchange.
mlir::LogicalResult lower(mlir::ModuleOp module);
} // namespace tiny
#endif // TINY_H
