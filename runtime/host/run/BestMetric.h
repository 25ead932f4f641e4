// Which metric of an evaluation tells the best step of a run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_RUN_BESTMETRIC_H
#define TUTTI_RUNTIME_HOST_RUN_BESTMETRIC_H

#include "runtime/host/program/Manifest.h"
#include "runtime/host/run/RunConfig.h"

namespace tutti::runtime::worker {

struct BestMetric {
  std::string name;
  size_t place = 0; ///< among the metrics of the manifest's evaluation
  bool is_largest = false;

  /// What `config.best` asks for: METRIC, METRIC:min or METRIC:max; none if it asks for nothing.
  /// The manifest has an evaluation if it asks for one. An error says which metrics there are, or
  /// that nobody knows whether much or little of one is good.
  static Result<std::optional<BestMetric>> find(const RunConfig &config, const Manifest &manifest);

  /// NAME:min or NAME:max.
  std::string spelled() const { return name + (is_largest ? ":max" : ":min"); }
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_RUN_BESTMETRIC_H
