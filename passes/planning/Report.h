// A plan and its predictions, as a file for programs and as tables for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_REPORT_H
#define TUTTI_PASSES_PLANNING_REPORT_H

#include "lib/program/Plan.h"
#include "passes/planning/Scaling.h"

namespace tutti::planning {

/// What is known of a program's communication.
struct Report {
  std::vector<program::PlanEntry> plan;
  int64_t ranks = 0; ///< 0: not known
  std::optional<cost::StepTime> step;
  std::vector<ScalingRow> scaling;
};

/// docs/plan.md describes the keys.
llvm::json::Value toJson(const Report &report);

void printReport(const Report &report, llvm::raw_ostream &out);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_REPORT_H
