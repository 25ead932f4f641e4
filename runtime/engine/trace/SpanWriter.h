// The spans of one rank as trace events of Chrome and Perfetto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_SPANWRITER_H
#define TUTTI_RUNTIME_ENGINE_TRACE_SPANWRITER_H

#include "runtime/engine/trace/Recorder.h"
#include "runtime/engine/trace/Timeline.h"

#include <map>
#include <string>

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

/// One event a line, separated by ",\n"; no comma at the end. A step is numbered from 1 here.
std::string events_of(const Recorder &recorder, const Names &names, const Timeline &timeline,
                      const RankIdentity &identity);

} // namespace tutti::runtime::trace

#endif // TUTTI_RUNTIME_ENGINE_TRACE_SPANWRITER_H
