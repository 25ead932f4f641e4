// The updates of variables that can be divided among ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_SHARDEDUPDATES_H
#define TUTTI_PASSES_DISTRIBUTION_SHARDEDUPDATES_H

#include "dialects/interfaces/Optimizer.h"
#include "lib/analysis/Uniformity.h"
#include "lib/program/Program.h"

namespace tutti::distribution {

/// One optimizer of `@step` with the variables that it updates.
struct ShardedUpdate {
  OptimizerOpInterface optimizer;
  train::VariableAttr role; ///< of the variable
  mlir::RankedTensorType type;
  unsigned variableResult = 0;                      ///< of the function
  llvm::SmallVector<mlir::BlockArgument, 2> states; ///< before the step
  llvm::SmallVector<unsigned, 2> stateResults;      ///< of the function
};

class ShardedUpdates : public llvm::SmallVector<ShardedUpdate> {
public:
  /// All optimizers of `@step`, in program order. Emits an error for one that ranks cannot divide
  /// among them: it does not work element by element or stands in a region, its variable or a state
  /// is not a replicated variable or shared with another optimizer, its gradient is not reduced, or
  /// another function takes a state.
  static mlir::FailureOr<ShardedUpdates> find(program::Program program,
                                              const UniformityAnalysis &uniformity);
};

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_SHARDEDUPDATES_H
