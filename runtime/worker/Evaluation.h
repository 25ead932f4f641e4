// Evaluating a program on a dataset: the mean of each per-sample metric, or the area under the ROC
// curve, over all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WORKER_EVALUATION_H
#define TUTTI_RUNTIME_WORKER_EVALUATION_H

#include "runtime/program/Buffers.h"
#include "runtime/program/Program.h"
#include "runtime/run/Summary.h"

namespace tutti::runtime::worker {

/// Deals the batches of `dataset` to the ranks in turn. Every rank makes the same number of calls;
/// where rows run out the last row is repeated and its metrics are not counted. Fills the
/// evaluation of `summary`, the same on every rank.
Error evaluate(tutti_context *context, const Program &program, const Buffers &buffers,
               const data::Dataset &dataset, RankSummary &summary);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_WORKER_EVALUATION_H
