// Constructors and registration of the passes between dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_CONVERSION_PASSES_H
#define TUTTI_PASSES_CONVERSION_PASSES_H

#include "dialects/collective/Collective.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tutti::conversion {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/conversion/Passes.h.inc"

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_PASSES_H
