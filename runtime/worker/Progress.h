// What a person sees while a run goes on: one line that changes on a terminal, otherwise a log.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WORKER_PROGRESS_H
#define TUTTI_RUNTIME_WORKER_PROGRESS_H

#include <cstdint>
#include <cstdio>
#include <string>

namespace tutti::runtime::worker {

/// Written by rank 0. A log has a line about every second, or ten in a run, and always one for the
/// last step.
class Progress {
public:
  /// `mode` as in RunConfig; `out` is where it goes.
  Progress(const std::string &mode, std::FILE *out, int64_t steps, int64_t epochs);
  void show(int64_t step, int64_t epoch, double loss, bool has_loss, double samples_per_second);
  /// Ends a line that is being changed, so that other output does not run into it.
  void finish();

private:
  bool is_due(int64_t step, double time) const;

  std::FILE *out;
  int64_t steps, epochs;
  bool is_silent, is_line;
  bool has_open_line = false;
  double last_time = 0;
  int64_t last_tenth = 0;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_WORKER_PROGRESS_H
