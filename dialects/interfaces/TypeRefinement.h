// The interface of operations whose result types follow from more than their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_TYPEREFINEMENT_H
#define TUTTI_INTERFACES_TYPEREFINEMENT_H

#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/TypeRefinement.h.inc"

#endif
