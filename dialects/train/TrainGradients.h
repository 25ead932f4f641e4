// Operations between the gradients of a step and its update: loss scaling, clipping, skipped steps.
// Apart from Train.h because few need them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TRAIN_TRAINGRADIENTS_H
#define TUTTI_TRAIN_TRAINGRADIENTS_H

#include "dialects/train/Train.h"

#define GET_OP_CLASSES
#include "dialects/train/TrainGradients.h.inc"

#endif
