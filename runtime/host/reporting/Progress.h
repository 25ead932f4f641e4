// What a person sees while a run goes on: one line that changes on a terminal, otherwise a log.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_PROGRESS_H
#define TUTTI_RUNTIME_HOST_REPORTING_PROGRESS_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tutti::runtime::worker {

/// Where progress goes.
struct ProgressScreen {
  std::function<void(const std::string &)> print;
  std::function<int()> columns; ///< of the terminal, which may change; 0: it is none

  static ProgressScreen standard_output();
};

/// How far a run is.
struct Moment {
  int64_t step, epoch; ///< from 1; the step has just ended
  std::optional<double> loss;
  double seconds; ///< since the first step began
};

/// Written by rank 0. A log has a line about every second, or ten in a run, and always one for the
/// last step. The rate is that of the last two to four seconds, without the first step, which
/// prepares kernels; the rest of the run is estimated from it.
class Progress {
public:
  /// `mode` as in RunConfig.
  Progress(const std::string &mode, ProgressScreen screen, int64_t steps, int64_t epochs,
           int64_t samples_per_step);
  /// A log gets a line every `steps` steps, and one for the last, instead.
  void log_every(int64_t steps) { log_steps = steps; }
  /// `steps` of the run are done before its first moment.
  void begin_after(int64_t steps) { steps_before = steps; }
  void show(const Moment &moment);
  /// Ends a line that is being changed, so that other output does not run into it.
  void finish();

private:
  struct Mark {
    int64_t step = 0;
    double seconds = 0;
  };
  bool is_due(const Moment &moment) const;
  int64_t tenth_of(int64_t step) const { return step / std::max<int64_t>(1, steps / 10); }
  double steps_a_second(const Moment &moment);
  std::string line(const Moment &moment, double rate, int columns) const;

  ProgressScreen screen;
  int64_t steps, epochs, samples_per_step, steps_before = 0, log_steps = 0;
  bool is_silent, is_line;
  bool has_open_line = false;
  Mark older, newer; ///< the rate is measured from `older` on
  double last_seconds = -1;
  int64_t last_tenth = 0;
};

/// "0:07", "12:30", "1:02:03", "2 d 03:00:00".
std::string duration_text(double seconds);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_PROGRESS_H
