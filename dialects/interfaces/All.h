// For other dialects: all interfaces, and what the classes that mlir-tblgen makes of operations
// with these interfaces need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_DIALECTS_INTERFACES_ALL_H
#define TUTTI_DIALECTS_INTERFACES_ALL_H

#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/interfaces/ComputeCost.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/interfaces/Differentiable.h"
#include "dialects/interfaces/Lookup.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/Pointwise.h"
#include "dialects/interfaces/SampleCount.h"
#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/ranks/CommunicationUniformity.h"
#include "dialects/interfaces/ranks/FormFactory.h"
#include "dialects/interfaces/sharding/ShardingRule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#endif // TUTTI_DIALECTS_INTERFACES_ALL_H
