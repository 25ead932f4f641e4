// The answer of an operation to "is this result equal on every rank?".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_DIALECTS_INTERFACES_RANKS_UNIFORMITY_H
#define TUTTI_DIALECTS_INTERFACES_RANKS_UNIFORMITY_H

#include "mlir/IR/OpDefinition.h"

namespace tutti {

enum class Uniformity {
  /// Equal on every rank whatever the operands are (the result of an all_reduce, the world size).
  Uniform,
  /// May differ between ranks whatever the operands are (the rank, a shard, an unseeded random).
  Varying,
  /// Equal on every rank when all operands and captured values are.
  AsOperands
};

} // namespace tutti

#include "dialects/interfaces/ranks/Uniformity.h.inc"

#endif // TUTTI_DIALECTS_INTERFACES_RANKS_UNIFORMITY_H
