// The interface of operations that count samples, or draw for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_SAMPLECOUNT_H
#define TUTTI_INTERFACES_SAMPLECOUNT_H

#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/SampleCount.h.inc"

#endif
