// What rank 0 tells about a run while it goes on: the file of metrics, the progress, a loss that is
// not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_RUNLOG_H
#define TUTTI_RUNTIME_HOST_REPORTING_RUNLOG_H

#include "runtime/host/program/Manifest.h"
#include "runtime/host/reporting/CurveWriter.h"
#include "runtime/host/reporting/MetricsWriter.h"
#include "runtime/host/reporting/Progress.h"
#include "runtime/host/reporting/SummaryWriter.h"
#include "runtime/host/run/RunConfig.h"
#include "runtime/host/run/Summary.h"

#include <chrono>

namespace tutti::runtime::worker {

/// On ranks other than 0 it only keeps the losses for the summary.
class RunLog {
public:
  static Result<RunLog> open(const WorkerConfig &config, const Manifest &manifest, int64_t steps,
                             int64_t steps_per_epoch);
  /// The first step begins now: says what is trained, with `samples` (0: it has no inputs), over
  /// `backend`. Earlier launches of the run did `steps_before` steps.
  Error begin(const Manifest &manifest, int64_t samples, const std::string &backend,
              int64_t steps_before = 0);
  /// Step `step` (from 0) took `seconds` and left its metrics in `results`. With `is_evaluated`,
  /// `summary` has an evaluation after this step.
  void record(int64_t step, double seconds, void *const *results, RankSummary &summary,
              bool is_evaluated = false);
  /// What servers tell of the run once `steps` steps are done.
  void record_servers(int64_t steps, const std::vector<ServerRecord> &records) {
    writer.write(steps, records);
  }
  /// What was recorded so far is in the files.
  void flush();
  /// Ends the progress and the file; reports what could not be written.
  Error close();
  /// Ends the summaries of the run directory. With `is_evaluated`, `summary` has an evaluation
  /// after the last step that `record` was not told of.
  Error close_summaries(const RankSummary &summary, bool is_evaluated);

private:
  RunLog(MetricsWriter writer, CurveWriter curve, Progress progress)
      : writer(std::move(writer)), curve(std::move(curve)), progress(std::move(progress)) {}
  Error open_summaries(const Manifest &manifest, int64_t steps_before);
  void add_evaluation(StepRecord &record, const RankSummary &summary) const;
  void tell_evaluation(StepRecord &record, const RankSummary &summary);
  void record_loss(int64_t step, double loss, RankSummary &summary);

  MetricsWriter writer;
  CurveWriter curve;
  Progress progress;
  std::optional<SummaryWriter> summaries; ///< of rank 0, with a run directory
  WorkerConfig config;
  Manifest manifest;       ///< what is told of: metrics and evaluation
  int64_t loss_index = -1; ///< of the metric "loss", or of the only one; -1 if there is none
  int64_t steps = 0, steps_per_epoch = 1, samples_per_step = 1;
  bool is_speaker = false, is_silent = false, has_loss_of_first = false;
  std::chrono::steady_clock::time_point first_step;
  StepRecord last = {}; ///< the last step, whose room the next one has
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_RUNLOG_H
