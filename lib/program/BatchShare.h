// How many samples a rank takes from each global batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_PROGRAM_BATCHSHARE_H
#define TUTTI_LIB_PROGRAM_BATCHSHARE_H

#include "dialects/train/Train.h"

namespace tutti::program {

/// The share of one rank. With policy `weighted` there are two sizes of share, which differ by one
/// sample.
struct BatchShare {
  int64_t globalBatch = 0;
  int64_t ranks = 1;
  int64_t localBatch = 0;     ///< samples that this rank computes in a step
  int64_t samplesPerStep = 0; ///< samples that all ranks compute together

  /// localBatch / samplesPerStep, or 1 when the dataset is not sharded.
  double weight() const { return double(localBatch) / samplesPerStep; }
};

/// The share of a rank of `dataset`: the larger one where there are two if `isCeil`. Fails, with an
/// error at the dataset that says what to do, when the global batch or the number of ranks is
/// unknown, when the ranks do not divide the batch and the policy is `error`, or when a rank would
/// get no sample.
mlir::FailureOr<BatchShare> shareOf(train::DatasetOp dataset, bool isCeil);

} // namespace tutti::program

#endif // TUTTI_LIB_PROGRAM_BATCHSHARE_H
