// A plan and its predictions, as a file for programs and as tables for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_REPORT_H
#define TUTTI_PASSES_PLANNING_REPORT_H

#include "lib/program/plan/Plan.h"
#include "lib/program/plan/ServerPlan.h"
#include "passes/planning/MemoryChoice.h"
#include "passes/planning/Prediction.h"
#include <map>
#include <vector>

namespace tutti::planning {

/// One number of ranks.
struct ScalingRow {
  int64_t ranks = 1, nodes = 1;
  int64_t strongBatch = 0, weakBatch = 0; ///< samples of a rank
  std::optional<cost::StepTime> strong;   ///< the global batch stays; none with fewer samples
  std::optional<cost::StepTime> weak;     ///< the batch of a rank stays
};

/// Predicts `program`, for many ranks or one that is not distributed.
class Scaling {
public:
  static constexpr int64_t kMostRanks = 16384;

  Scaling(mlir::ModuleOp program, const cost::Cluster &cluster);

  /// The step on `ranks` ranks with the batch that the program's policy gives them.
  std::optional<cost::StepTime> predict(int64_t ranks);

  /// Powers of two up to kMostRanks, as far as the cluster's description reaches. `ranks` are those
  /// whose local batch weak scaling keeps. Empty if the program has ranks already.
  std::vector<ScalingRow> predictAll(int64_t ranks);

  /// Why a prediction is missing; empty if none is.
  const std::string &problem() const { return why; }

private:
  std::optional<cost::StepTime> predict(const Setting &setting);
  int64_t globalBatch() const;

  mlir::ModuleOp program;
  const cost::Cluster &cluster;
  bool isAlike; ///< a program lowered for one number of ranks serves all
  std::map<std::pair<int64_t, int64_t>, mlir::OwningOpRef<mlir::ModuleOp>> lowered;
  std::string why;
};

/// What is known of a program's communication.
struct Report {
  std::vector<program::PlanEntry> plan;
  int64_t ranks = 0; ///< 0: not known
  std::optional<cost::StepTime> step;
  double repeating = 0; ///< seconds of `step` in operations that run again to keep to a memory
  std::vector<ScalingRow> scaling;
  std::vector<program::TablePlan> servers; ///< what they expect; empty without tables
};

/// The plan of `program`; with a cluster file, not empty, also times on it, for `ranks` ranks or,
/// if that is 0, those of the program or the cluster. Fails with a diagnostic.
mlir::FailureOr<Report> reportOn(mlir::ModuleOp program, llvm::StringRef clusterFile,
                                 int64_t ranks);

/// Adds to the step's time of `report`, of `program`, what it takes to keep to `memory`. Fails with
/// a diagnostic.
llvm::LogicalResult addRepeats(mlir::ModuleOp program, llvm::StringRef clusterFile,
                               const MemoryMeasures &memory, Report &report);

/// docs/plan.md describes the keys.
llvm::json::Value toJson(const Report &report);

void printReport(const Report &report, llvm::raw_ostream &out);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_REPORT_H
