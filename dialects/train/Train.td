// All of the train dialect, for the generators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "dialects/train/TrainGradients.td"
include "dialects/train/TrainMicroBatches.td"
include "dialects/train/TrainOptimizers.td"
include "dialects/train/TrainParts.td"
include "dialects/train/TrainRows.td"
