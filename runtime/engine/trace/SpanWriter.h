// The spans of one rank as trace events of Chrome and Perfetto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_SPANWRITER_H
#define TUTTI_RUNTIME_ENGINE_TRACE_SPANWRITER_H

#include "runtime/engine/trace/Recorder.h"
#include "runtime/engine/trace/Timeline.h"

#include <map>
#include <string>
#include <vector>

namespace tutti::runtime::trace {

/// What spans refer to.
struct Names {
  struct PlanEntry {
    std::string name;              ///< "all_reduce mean of fc.weight"
    std::string json;              ///< the entry of the manifest
    double predicted_seconds = -1; ///< negative: nobody predicted
  };
  std::map<int64_t, PlanEntry> plan;
};

/// Whose spans they are.
struct RankIdentity {
  int64_t rank = 0;
  std::string name;  ///< "rank 0"
  std::string label; ///< shown beside it; may be empty
};

/// Something that was done before ranks began. Nanoseconds of the machine's CLOCK_MONOTONIC.
struct StartSpan {
  std::string name;
  int64_t begin = 0, end = 0;
};

/// The numbers of processes in a trace that are no ranks.
constexpr int64_t launcher_process = 1'000'000, path_process = 1'000'001;

/// Of `spans` events like those of events_of, on the thread 0 of `process`. `origin` is time 0.
/// A process that has no other events is given a `name`.
std::string events_of_start(const std::vector<StartSpan> &spans, int64_t origin, int64_t process,
                            const std::string &name);

/// One event a line, separated by ",\n"; no comma at the end. A step is numbered from 1 here.
std::string events_of(const Recorder &recorder, const Names &names, const Timeline &timeline,
                      const RankIdentity &identity);

} // namespace tutti::runtime::trace

#endif // TUTTI_RUNTIME_ENGINE_TRACE_SPANWRITER_H
