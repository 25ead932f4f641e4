// The best of the evaluations of a run, and whether later ones are still worth waiting for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_EVALUATION_BESTEVALUATION_H
#define TUTTI_RUNTIME_HOST_WORKER_EVALUATION_BESTEVALUATION_H

#include "runtime/host/run/BestMetric.h"
#include "runtime/host/rundir/folder/RunState.h"

namespace tutti::runtime::worker {

/// Every rank has one. Evaluations have the same values on all ranks, so that all decide alike
/// without a word.
class BestEvaluation {
public:
  /// What `config.best` asks for (BestMetric::find); none if it asks for nothing.
  static Result<std::optional<BestEvaluation>> create(const RunConfig &config,
                                                      const Manifest &manifest);

  /// Goes on from what a checkpoint has of it, if that is of the same metric.
  void resume(const rundir::BestStep &saved);
  /// Takes the values of the evaluation after `steps_done` steps, in the manifest's order. True if
  /// it is better than all before; one that is no number never is.
  bool see(int64_t steps_done, const double *values);
  /// Whether as many evaluations in a row as `config.early_stop` says were not better.
  bool is_over() const { return early_stop > 0 && best.later_evaluations >= early_stop; }
  /// Which of the manifest's metrics is compared.
  size_t metric() const { return compared.place; }
  /// For checkpoints. Without a step before the first evaluation.
  const rundir::BestStep &state() const { return best; }

private:
  BestEvaluation() = default;

  BestMetric compared;
  int64_t early_stop = 0; ///< 0: never
  rundir::BestStep best;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_EVALUATION_BESTEVALUATION_H
