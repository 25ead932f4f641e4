// The curve of a run: its metrics over its steps, in a file whose size does not depend on how many
// steps there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_REPORTING_CURVEWRITER_H
#define TUTTI_RUNTIME_HOST_REPORTING_CURVEWRITER_H

#include "runtime/host/reporting/MetricsWriter.h"

#include <nlohmann/json.hpp>

namespace tutti::runtime::worker {

/// Written by rank 0. Neighbouring steps become one point, with mean, least and largest, once there
/// are more than `most_points`; of evaluations every other one goes then. The file is whole at any
/// time and replaced at most every few seconds; a failure is a warning once, and no error of the
/// run. Used by one thread.
class CurveWriter {
public:
  static constexpr size_t most_points = 2000;

  /// Does nothing if `path` is empty.
  CurveWriter(std::string path, std::vector<std::string> names)
      : path(std::move(path)), names(std::move(names)) {}
  /// Keeps the points of the older file that end at step `step`, from 1, or before: a run goes on
  /// after it. What cannot be read is left out.
  void go_on_after(int64_t step);
  void record(const StepRecord &record);
  /// An evaluation after a step.
  void record_evaluation(const StepRecord &record);
  /// What was recorded so far is in the file.
  void flush();

private:
  /// `values` are numbers of each metric, then samples a second: sums until the point is full.
  struct Point {
    int64_t first = 0, last = 0;
    std::vector<double> sums, least, largest;
    void add(const Point &other);
  };
  void add(Point point);
  nlohmann::json to_json() const;
  void read(const nlohmann::json &older, int64_t step);

  std::string path;
  std::vector<std::string> names;
  std::vector<Point> points;
  std::vector<std::pair<int64_t, nlohmann::json>> evaluations;
  int64_t steps_a_point = 1;
  double last_flush = 0;
  bool has_failed = false;
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_REPORTING_CURVEWRITER_H
