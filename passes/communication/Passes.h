// Constructors and registration of the communication passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_COMMUNICATION_PASSES_H
#define TUTTI_PASSES_COMMUNICATION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tutti::communication {

/// The element type of compressed tensors.
enum class WireType { F16, BF16 };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/communication/Passes.h.inc"

} // namespace tutti::communication

#endif // TUTTI_PASSES_COMMUNICATION_PASSES_H
