// The file of metrics: one JSON object a line, one line a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_WORKER_METRICSWRITER_H
#define TUTTI_RUNTIME_WORKER_METRICSWRITER_H

#include "runtime/core/Error.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// What a step gave.
struct StepRecord {
  int64_t step;                ///< from 1
  int64_t epoch;               ///< from 1
  std::vector<double> metrics; ///< in the order of the manifest
  double samples_per_second;
};

/// Written by rank 0. Lines reach the file at least once a second, so that others can follow it.
class MetricsWriter {
public:
  /// Does nothing if `path` is empty.
  static Result<MetricsWriter> open(const std::string &path, std::vector<std::string> names);
  void write(const StepRecord &record);
  /// Flushes; reports what could not be written.
  Error close();

private:
  std::string path;
  std::vector<std::string> names;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file{nullptr, std::fclose};
  double last_flush = 0;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_WORKER_METRICSWRITER_H
