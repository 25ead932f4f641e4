// The interface of operations that update one variable from its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_OPTIMIZER_H
#define TUTTI_INTERFACES_OPTIMIZER_H

#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/Optimizer.h.inc"

#endif
