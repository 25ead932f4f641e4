// The interface of operations whose result for one sample depends on the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_BATCHSTATISTICS_H
#define TUTTI_INTERFACES_BATCHSTATISTICS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/BatchStatistics.h.inc"

#endif
