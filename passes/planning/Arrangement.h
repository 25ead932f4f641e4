// The blocks of a step as they would be with other collectives, played without being written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_ARRANGEMENT_H
#define TUTTI_PASSES_PLANNING_ARRANGEMENT_H

#include "passes/communication/OverlapSchedule.h"
#include "passes/planning/ExchangeTimes.h"

#include <deque>
#include <optional>

namespace tutti::planning {

/// What a node of a step does.
struct Task {
  double seconds = 0;                   ///< of computation
  cost::CommunicationTime calls;        ///< its communication
  bool isBeside = false;                ///< its communication runs alongside computation
  std::optional<unsigned> start;        ///< the node that started what it awaits
  llvm::SmallVector<unsigned, 0> inner; ///< blocks of a loop or a branch, by their numbers
  double turns = 1;                     ///< how often it runs them
};

/// A block of a step as it is.
struct StepBlock {
  StepBlock(mlir::Block &block, double turns, const CollectiveMotion &motion);

  /// The node in which `op`, an operation of the block or in it, stands.
  unsigned nodeOf(mlir::Operation *op) const;

  mlir::Block &block;
  communication::ScheduleGraph graph;
  llvm::SmallVector<communication::Chain> chains; ///< that may run beside computation
  std::vector<mlir::Operation *> ops;             ///< by node
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  std::vector<Task> tasks; ///< by node, of one turn
  double turns;            ///< of the block in a step, at least one
};

/// The block of a step, which is the first, and those of its loops and branches that communicate.
class StepBlocks {
public:
  StepBlocks(mlir::func::FuncOp step, const StepWork &work, const CollectiveMotion &motion);

  const std::deque<StepBlock> &all() const { return blocks; }
  /// The number of `block`, if it is one of these.
  std::optional<unsigned> find(mlir::Block *block) const;

private:
  unsigned add(mlir::Block &block, double turns, const CollectiveMotion &motion);
  StepBlock &ownerOf(mlir::Operation *op);

  std::deque<StepBlock> blocks;
  llvm::DenseMap<mlir::Block *, unsigned> numbers;
};

/// A block with some collectives bundled, and some in levels.
class Arrangement {
public:
  /// Keeps references to all.
  Arrangement(const StepBlock &step, const StepWork &work, ExchangeTimes &exchanges);

  /// `members` are one, after `producer`; null: at the start of their block.
  void bundle(llvm::ArrayRef<collective::BucketOpInterface> members, mlir::Operation *producer);

  /// Lets one turn of the block happen on `clock`, once everything is bundled; `playInner` does the
  /// same with the block of a number.
  void play(cost::StepClock &clock, bool overlaps, llvm::function_ref<void(unsigned)> playInner);

private:
  using Chain = communication::Chain;

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
  std::optional<unsigned> lastLate;    ///< the last node that is late
  std::vector<unsigned> place;         ///< by node of the step: the node that has its results
  std::vector<unsigned> continuations; ///< by chain of the step: the chain that goes on there
};

/// All blocks of a step with collectives bundled, and in levels.
class ArrangedStep {
public:
  /// Keeps references to all.
  ArrangedStep(const StepBlocks &blocks, const StepWork &work, ExchangeTimes &exchanges);

  /// `members`, of one of the blocks, are one, after `producer`; null: at the start of the block.
  void bundle(llvm::ArrayRef<collective::BucketOpInterface> members, mlir::Operation *producer);

  /// The time of the step, once everything is bundled.
  cost::StepTime play(const cost::Cluster &cluster, int64_t ranks, bool overlaps);

private:
  void play(unsigned block, cost::StepClock &clock, bool overlaps);

  const StepBlocks &blocks;
  std::deque<Arrangement> arrangements; ///< by block
};

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_ARRANGEMENT_H
