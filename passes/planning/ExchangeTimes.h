// What collectives take that are one, or that go in levels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_EXCHANGETIMES_H
#define TUTTI_PASSES_PLANNING_EXCHANGETIMES_H

#include "lib/analysis/CollectiveMotion.h"
#include "passes/communication/NodeGroups.h"
#include "passes/planning/StepWork.h"

namespace tutti::planning {

/// Collectives that are one, flat or in levels: of one turn.
struct Exchange {
  cost::CommunicationTime time;
  std::optional<double> rows; ///< seconds in which inputs become rows, if any does
  std::optional<double>
      finish;           ///< seconds in which the outcome is divided and gets its shape, if it does
  bool isSplit = false; ///< in levels
};

class ExchangeTimes {
public:
  /// Of collectives of `program`; with `levels`, of several nodes of several ranks, reductions go
  /// in levels where collective-hierarchy lets them. Keeps references to all.
  ExchangeTimes(mlir::ModuleOp program, const cost::Cluster &cluster, int64_t ranks,
                const StepWork &work, const CollectiveMotion &motion,
                const std::optional<communication::Topology> &levels);

  /// Of collectives that are alike, or of one.
  Exchange of(llvm::ArrayRef<collective::BucketOpInterface> members);

private:
  bool isSplit(llvm::ArrayRef<collective::BucketOpInterface> members, mlir::TypeRange inputs) const;
  Exchange inLevels(mlir::TypeRange inputs, Reduction reduction) const;

  const cost::Cluster &cluster;
  int64_t ranksOnNode;
  const StepWork &work;
  const CollectiveMotion &motion;
  const std::optional<communication::Topology> &levels;
  cost::CallTimes times;
  cost::GroupShape node, across; ///< of levels
};

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_EXCHANGETIMES_H
