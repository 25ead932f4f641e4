// The interface of operations that tell how much they compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_COMPUTECOST_H
#define TUTTI_INTERFACES_COMPUTECOST_H

#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/ComputeCost.h.inc"

#endif
