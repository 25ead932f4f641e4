// The block of a step as it would be with other collectives, played without being written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_ARRANGEMENT_H
#define TUTTI_PASSES_PLANNING_ARRANGEMENT_H

#include "passes/communication/OverlapSchedule.h"
#include "passes/planning/ExchangeTimes.h"

namespace tutti::planning {

/// What a node of a step does.
struct Task {
  double seconds = 0;            ///< of computation
  cost::CommunicationTime calls; ///< of what it communicates
  bool isBeside = false;         ///< it starts that beside computation
  std::optional<unsigned> start; ///< the node that started what it awaits
};

/// The block of a step as it is.
struct StepBlock {
  StepBlock(mlir::func::FuncOp step, const StepWork &work, const CollectiveMotion &motion);

  /// The node in which `op`, an operation of the step, stands.
  unsigned nodeOf(mlir::Operation *op) const;

  mlir::Block &block;
  communication::ScheduleGraph graph;
  llvm::SmallVector<communication::Chain> chains; ///< that may run beside computation
  std::vector<mlir::Operation *> ops;             ///< by node
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<Task> tasks; ///< by node
  /// Collectives in loops and branches.
  llvm::SmallVector<collective::BucketOpInterface> nested;
};

/// The same with some collectives bundled, and some in levels.
class Arrangement {
public:
  /// Keeps references to all.
  Arrangement(const StepBlock &step, const StepWork &work, ExchangeTimes &exchanges);

  /// `members` are one, after `producer`; null: at the start of their block.
  void bundle(llvm::ArrayRef<collective::BucketOpInterface> members, mlir::Operation *producer);

  /// The time of the step, once everything is bundled.
  cost::StepTime play(const cost::Cluster &cluster, int64_t ranks, bool overlaps);

private:
  using Chain = communication::Chain;

  void arrangeNested();
  void replaceNested(llvm::ArrayRef<collective::BucketOpInterface> members,
                     const Exchange &exchange);
  void arrange();
  void arrangeBundles(unsigned latest);
  void copy(unsigned node);
  void exchange(llvm::ArrayRef<unsigned> members);
  void startEarly(unsigned collective, llvm::ArrayRef<unsigned> members, bool isAsBefore);
  unsigned add(communication::ScheduleGraph::Node node, const Task &task);

  const StepBlock &step;
  const StepWork &work;
  ExchangeTimes &exchanges;
  std::vector<Task> before; ///< tasks of the step, by its nodes, with what is bundled in them
  struct Bundle {
    llvm::SmallVector<unsigned, 2> nodes; ///< of the step
    unsigned earlier; ///< the bundle that was made before it, for the same place
  };
  std::vector<Bundle> bundles;
  unsigned latestAtStart;            ///< the bundle that was made last for the start of the block
  std::vector<unsigned> latestAfter; ///< by node of the step: the same for what is after it
  llvm::DenseSet<mlir::Operation *> bundled;
  std::vector<unsigned> chainOf; ///< by node of the step: which of its chains

  communication::ScheduleGraph graph;
  std::vector<Task> tasks;
  llvm::SmallVector<Chain> chains;
  std::vector<unsigned> place;         ///< by node of the step: the node that has its results
  std::vector<unsigned> continuations; ///< by chain of the step: the chain that goes on there
};

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_ARRANGEMENT_H
