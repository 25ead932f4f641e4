// The interface of operations that read rows of a table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_LOOKUP_H
#define TUTTI_INTERFACES_LOOKUP_H

#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/Lookup.h.inc"

#endif
