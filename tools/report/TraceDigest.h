// What a report shows of a trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TOOLS_REPORT_TRACEDIGEST_H
#define TUTTI_TOOLS_REPORT_TRACEDIGEST_H

#include "runtime/support/Error.h"

#include <nlohmann/json.hpp>
#include <string>

namespace tutti::report {

/// Reads the trace at `path` (runtime/engine/trace) line by line. All times are microseconds:
///
///   "steps", "first", "last": which steps of it all ranks have
///   "split": of each rank the mean of a step, "whole" and its parts "kernels", "loops",
///            "communication", "waiting" (in collectives, for ranks that came later), "data",
///            "other"
///   "kernels": by name, the longest in sum first; "kernels_left_out": how many more there are
///   "collectives": by entry of the plan, measured and, if that is known, predicted
///   "late": who came last to how many collectives, and what that cost (describe_lateness)
///   "start": what came before the first step, see `describeStart`
///   "timeline": the spans of all ranks in the step of median length, and its "path"
///            (describe_critical_path); see `describeTimeline`
///
/// Null if it has no whole step. An error if it is no trace.
runtime::Result<nlohmann::json> digestTrace(const std::string &path);

} // namespace tutti::report

#endif // TUTTI_TOOLS_REPORT_TRACEDIGEST_H
