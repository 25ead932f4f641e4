// The operations of the train dialect that cut a batch into micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_MICROBATCHES_H
#define TUTTI_TRAIN_MICROBATCHES_H

#include "dialects/train/Train.h"

#define GET_OP_CLASSES
#include "dialects/train/TrainMicroBatches.h.inc"

namespace tutti::train {

/// The micro-batch that is computed where `op` stands: which one, and of how many. Null where it is
/// the whole batch.
MicroBatchOp findMicroBatch(mlir::Operation *op);

/// The type of one of `parts` equal parts of a `whole`.
mlir::Type typeOfPart(mlir::Type whole, int64_t parts);

} // namespace tutti::train

#endif
