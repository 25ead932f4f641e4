// Who was late, and what a step waited for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_TRACE_ANALYSIS_CRITICALPATH_H
#define TUTTI_RUNTIME_ENGINE_TRACE_ANALYSIS_CRITICALPATH_H

#include "runtime/engine/trace/analysis/ReadSpans.h"

#include <nlohmann/json.hpp>

namespace tutti::runtime::trace::analysis {

/// Of a trace whose collectives have `last`: "collectives", how many all ranks met in, and "ranks",
/// of each "rank", "last" (in how many of them it came last) and "cost" (what the others waited for
/// it then, each of them, in microseconds). Of ranks that come at the same tick the lowest counts
/// as the last, at no cost. Null if there are none.
nlohmann::json describe_lateness(const Trace &trace);

/// "rank 3 was last in 41 of 60 collectives; the others waited 12 ms for it", of the rank that cost
/// most. "" of null.
std::string spell_lateness(const nlohmann::json &lateness);

/// What `step` took its time for: from its end back, computation of a rank up to the collective in
/// which that rank came last, and so on. Pieces [rank, kind, name, begin, length], the first one
/// first and each where the one before it ends, with begins from `begin`; kinds are "computation",
/// "communication", "data" and "before": what the rank did before it began the step, while others
/// were in it.
nlohmann::json describe_critical_path(const Trace &trace, int64_t step, double begin);

/// The critical path of each whole step, and who was late to what, as events like those of
/// events_of on two threads of a process of its own. "" if no step is whole.
std::string events_of_path(const Trace &trace);

} // namespace tutti::runtime::trace::analysis

#endif // TUTTI_RUNTIME_ENGINE_TRACE_ANALYSIS_CRITICALPATH_H
