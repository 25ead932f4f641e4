// What a run directory has of a run besides checkpoints: events for TensorBoard, and JSON lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_SUMMARYWRITER_H
#define TUTTI_RUNTIME_HOST_REPORTING_SUMMARYWRITER_H

#include "runtime/host/reporting/MetricsWriter.h"
#include "runtime/host/summaries/EventFile.h"

namespace tutti::runtime::worker {

/// Written by rank 0, every so many steps, after the last one, and with each evaluation. What
/// cannot be written is a warning once, and the error of `close`.
class SummaryWriter {
public:
  /// The run goes on after `steps_before` of `steps` steps. `constants`: hyperparameters, told
  /// with every step.
  static Result<SummaryWriter> open(const std::string &folder, int64_t every, int64_t steps_before,
                                    int64_t steps, std::vector<std::string> names,
                                    summaries::Scalars constants);
  /// Called for every step.
  void record(const StepRecord &record);
  /// An evaluation after the last step.
  void record_evaluation(const StepRecord &record);
  /// What was told so far is in the files; events always are.
  void flush() { lines.flush(); }
  Error close();

private:
  SummaryWriter(summaries::EventFile events, MetricsWriter lines)
      : events(std::move(events)), lines(std::move(lines)) {}
  void write_events(const StepRecord &record);

  summaries::EventFile events;
  MetricsWriter lines;
  int64_t every = 1, steps = 0;
  std::vector<std::string> names;
  summaries::Scalars constants;
  double seconds_a_sample = 0; ///< summed over the steps since the last summary
  int64_t steps_since = 0;
  bool has_warned = false;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_SUMMARYWRITER_H
