// The interface of operations that know their own gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_DIFFERENTIABLE_H
#define TUTTI_INTERFACES_DIFFERENTIABLE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallBitVector.h"

#include "dialects/interfaces/Differentiable.h.inc"

#endif
