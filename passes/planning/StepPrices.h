// What a step would take if it communicated otherwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_STEPPRICES_H
#define TUTTI_PASSES_PLANNING_STEPPRICES_H

#include "passes/communication/BucketLimits.h"
#include "passes/planning/Arrangement.h"

namespace tutti::planning {

/// How the collectives of a program are bundled, which way they take, and when they run.
struct Bundling {
  std::optional<communication::BucketRequest> buckets; ///< none: each alone
  std::optional<int64_t> ranksPerNode;                 ///< of a hierarchy; none: flat
  bool overlaps = false;                               ///< they run beside computation
};

/// Prices of one program. What collective-fuse, collective-hierarchy and collective-overlap would
/// make of it is found as they find it, and played on what the step computes; the program stays as
/// it is, and is lowered once, whatever the number of questions. A question takes time in
/// proportion to the size of the step.
class StepPrices {
public:
  /// Of `program`, which has `ranks` ranks and must stay as it is; keeps a reference to `cluster`.
  StepPrices(mlir::ModuleOp program, const cost::Cluster &cluster, int64_t ranks);

  /// The time of a step that communicates as `bundling` says. Nothing, and `why`, if it cannot be
  /// known; errors may be emitted as diagnostics instead.
  std::optional<cost::StepTime> of(const Bundling &bundling, std::string &why);

private:
  using Bundles = llvm::SmallVector<communication::Bucket>;

  mlir::FailureOr<Bundles> findBundles(const std::optional<communication::BucketRequest> &request);
  mlir::FailureOr<std::optional<communication::Topology>>
  findLevels(std::optional<int64_t> ranksPerNode);

  mlir::ModuleOp program;
  const cost::Cluster &cluster;
  int64_t ranks;
  CollectiveMotion motion;
  std::string problem; ///< why there is no work
  std::optional<StepWork> work;
  std::optional<StepBlocks> blocks;
  std::vector<communication::BlockCollectives> runs; ///< of all blocks of the program
};

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_STEPPRICES_H
