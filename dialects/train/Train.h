// The train dialect: variables, batches, gradients and optimizers as roles and pure operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_TRAIN_H
#define TUTTI_TRAIN_TRAIN_H

#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/Pointwise.h"
#include "dialects/interfaces/TypeRefinement.h"
#include "dialects/interfaces/ranks/Uniformity.h"
#include "dialects/interfaces/sharding/ShardingRule.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/train/TrainDialect.h.inc"
#include "dialects/train/TrainEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttributes.h.inc"

#define GET_OP_CLASSES
#include "dialects/train/Train.h.inc"

namespace tutti::train {

/// A number on operations of a loop that computes several micro-batches in a turn: of which of them
/// they are. On each `micro_batch`, and on what draws random numbers.
inline constexpr llvm::StringLiteral kTurn = "train.turn";

/// The micro-batch that is computed where `op` stands: which one, and of how many. Null where it is
/// the whole batch. Fails, without an error, where a turn computes several of them, and `op` does
/// not say of which it is.
mlir::FailureOr<MicroBatchOp> findMicroBatch(mlir::Operation *op);

/// The type of one of `parts` equal parts of a `whole`.
mlir::Type typeOfPart(mlir::Type whole, int64_t parts);

} // namespace tutti::train

#endif
