// All of the train dialect, but for TrainGradients.td, for the generators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include "dialects/train/TrainOptimizers.td"
