// The file of metrics: one JSON object a line, one line a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_METRICSWRITER_H
#define TUTTI_RUNTIME_HOST_REPORTING_METRICSWRITER_H

#include "runtime/output/OutputFile.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::runtime::worker {

/// What a step gave.
struct StepRecord {
  int64_t step;                ///< from 1
  int64_t epoch;               ///< from 1
  std::vector<double> metrics; ///< in the order of the manifest; none of an evaluation alone
  double samples_per_second;
  std::vector<std::pair<std::string, double>> evaluation = {}; ///< after the step; empty: none
};

/// What a server tells of a table at the end.
struct ServerRecord {
  int64_t server;
  std::string table;
  std::vector<std::pair<std::string, int64_t>> numbers;
  std::vector<std::pair<std::string, double>> means = {};
};

/// Written by rank 0. The file takes the place of an older one with its first line; whole lines
/// reach it at least once a second, so that others can follow it. A failure is a warning at once,
/// and the error of `close`; what comes after it is not written.
class MetricsWriter {
public:
  /// Does nothing if `path` is empty.
  static Result<MetricsWriter> open(const std::string &path, std::vector<std::string> names);
  /// Keeps the lines of the older file up to step `step`, from 1: a run goes on after it. Before
  /// the first `write`.
  void go_on_after(int64_t step);
  void write(const StepRecord &record);
  /// A line after step `step` with all that servers tell; of none, nothing.
  void write(int64_t step, const std::vector<ServerRecord> &records);
  /// Lines that were written so far reach the file.
  void flush();
  /// Flushes; reports what could not be written. Without a line there is no file.
  Error close();

private:
  void add(const std::string &line);

  std::string path;
  std::vector<std::string> names;
  std::optional<output::OutputFile> file;
  std::string lines; ///< not yet in the file
  double last_flush = 0;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_METRICSWRITER_H
