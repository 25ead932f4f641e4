// The operations of the train dialect that cut a batch into micro-batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_MICROBATCHES_H
#define TUTTI_TRAIN_MICROBATCHES_H

#include "dialects/train/Train.h"

#define GET_OP_CLASSES
#include "dialects/train/TrainMicroBatches.h.inc"

#endif
