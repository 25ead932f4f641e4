// Operations of the train dialect on lists of rows of tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_ROWS_H
#define TUTTI_TRAIN_ROWS_H

#include "dialects/train/Train.h"

#define GET_OP_CLASSES
#include "dialects/train/TrainRows.h.inc"

#endif
