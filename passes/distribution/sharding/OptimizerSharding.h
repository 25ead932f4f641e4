// Optimizers computed on parts of their variables, one part on each rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SHARDING_OPTIMIZERSHARDING_H
#define TUTTI_PASSES_DISTRIBUTION_SHARDING_OPTIMIZERSHARDING_H

#include "dialects/interfaces/Optimizer.h"
#include "lib/analysis/Uniformity.h"
#include "lib/program/ProgramEdit.h"
#include "passes/distribution/Partition.h"

#include <deque>

namespace tutti::distribution {

/// One optimizer of `@step` with the variables that it updates.
struct ShardedUpdate {
  OptimizerOpInterface optimizer;
  train::VariableAttr role;     ///< of the variable
  mlir::BlockArgument variable; ///< before the step
  mlir::RankedTensorType type;
  unsigned variableResult = 0;                      ///< of the function
  llvm::SmallVector<mlir::BlockArgument, 2> states; ///< before the step
  llvm::SmallVector<unsigned, 2> stateResults;      ///< of the function
};

class ShardedUpdates : public llvm::SmallVector<ShardedUpdate> {
public:
  /// Optimizers that do not work element by element (LAMB), which stay whole.
  llvm::SmallVector<OptimizerOpInterface> whole;

  /// All other optimizers of `@step`, in program order. Emits an error for one that ranks cannot
  /// divide among them: it stands in a region, its variable or a state is not a replicated variable
  /// or shared with another optimizer, its gradient is not reduced, or another function takes a
  /// state.
  static mlir::FailureOr<ShardedUpdates> find(program::Program program,
                                              const UniformityAnalysis &uniformity);
};

/// Divides the updates of one program among its ranks. To be called in this order: `shard`, perhaps
/// `measureParts`, `takeWholeUses`, `keepWhole` for those of them that stay, `finish`.
class OptimizerSharding {
public:
  /// `uniformity` describes the program before anything is sharded, `group` is of the `ranks` ranks
  /// that divide the updates: the world, or those that hold the same parts of the model.
  OptimizerSharding(program::Program program, const UniformityAnalysis &uniformity,
                    mlir::FlatSymbolRefAttr group, int64_t ranks);

  /// Lets ranks keep parts of the variables, too: no part is gathered after its update, but the
  /// whole where it is used, in all functions; `@step` keeps up to `keptBytes` of it for all uses.
  /// To be called before `shard`.
  void keepVariablesInParts(int64_t keptBytes);

  /// Computes each of `updates` on parts: its states become sharded variables, and the new parts of
  /// its variable are gathered.
  void shard(const ShardedUpdates &updates);

  /// Takes norms and finite checks of parts, as measureParts does. Returns how many.
  unsigned measureParts();

  /// Erases what parts replace. Returns the reduced gradients that something still takes whole.
  llvm::SmallVector<Partition::WholeUse> takeWholeUses();

  /// Reduces `gradient` as a whole on every rank, of which the optimizer takes its part.
  void keepWhole(mlir::OpResult gradient) { next.keepWhole(gradient); }

  /// Drops the buffers of collectives that nothing uses any more, and gives the functions their new
  /// types and roles.
  void finish();

  /// How many gathers of variables there are in all functions, after `takeWholeUses`.
  unsigned countVariableGathers() const;

  /// What `@step` keeps, after `takeWholeUses`.
  const KeptGathers &getKeptGathers() const { return next.getKeptGathers(); }

private:
  void shard(const ShardedUpdate &update);
  void setRole(train::VariableAttr role, mlir::Type held);
  void shardVariable(const ShardedUpdate &update);

  program::Program program;
  mlir::FlatSymbolRefAttr group;
  const UniformityAnalysis &uniformity;
  int64_t ranks;
  Partition initial, next; ///< of @initialize, of @step
  bool areVariablesParts = false;
  std::deque<std::pair<mlir::func::FuncOp, Partition>> others; ///< of all other functions
  program::ProgramEdit roles;
  mlir::NamedAttrList blocks; ///< of variables of which neighbours had parts before
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SHARDING_OPTIMIZERSHARDING_H
