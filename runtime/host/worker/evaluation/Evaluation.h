// Evaluating a program on a dataset: the mean or sum of each metric, or the area under the ROC
// curve, over all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_EVALUATION_EVALUATION_H
#define TUTTI_RUNTIME_HOST_WORKER_EVALUATION_EVALUATION_H

#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/program/Buffers.h"
#include "runtime/host/program/Program.h"
#include "runtime/host/run/Summary.h"

namespace tutti::runtime::worker {

/// Deals the samples to the ranks in turn, whatever the sizes of their batches. Every rank makes
/// the same number of calls; where samples run out those of the batch are repeated, and count once.
/// Fills the evaluation of `summary`, the same on every rank.
Error evaluate(tutti_context *context, const Program &program, const Buffers &buffers,
               const data::RowGatherer &samples, RankSummary &summary);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_EVALUATION_EVALUATION_H
