// The predicted time of a program's step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_PREDICTION_H
#define TUTTI_PASSES_PLANNING_PREDICTION_H

#include "lib/cost/Timeline.h"
#include "passes/compile/Pipelines.h"

#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace tutti::planning {

/// How a copy of a program is made ready for the model.
struct Setting {
  int64_t ranks = 0;
  int64_t localBatch = 0; ///< samples of a rank; 0: those that the program's batch policy gives
};

/// Specialises `copy`, of which only @step is kept, for `setting`, and lowers it until its loops
/// show. Fails, and says why, if it cannot be.
llvm::LogicalResult lowerCopy(mlir::ModuleOp copy, const Setting &setting, std::string &why);

/// The two halves of it, for those who look at the program between them: its shapes are static
/// then.
llvm::LogicalResult specializeCopy(mlir::ModuleOp copy, const Setting &setting, std::string &why);
llvm::LogicalResult lowerSpecialized(mlir::ModuleOp copy, std::string &why);

/// A copy of `program`, specialised for `setting` and lowered until its loops show. Null, and
/// `why`, if it cannot be.
mlir::OwningOpRef<mlir::ModuleOp> lowerForCosts(mlir::ModuleOp program, const Setting &setting,
                                                std::string &why);

/// What a program does so that its memory is no larger.
struct MemoryMeasures {
  int64_t arenaBytes = 0; ///< so many bytes may the temporary buffers of a function take, which
                          ///< computes values again to keep to them; 0: as many as it needs
  bool offloadsStates = false; ///< states of optimizers may lie in a file
  int64_t keptStates = 0;      ///< so many bytes of them stay in memory all the same

  compile::CompileOptions options() const;
};

/// Seconds of a step of `program`, which is specialised for `ranks` ranks, in operations that run
/// again because of `memory`. None, and `why`, where it cannot be lowered so.
std::optional<double> secondsOfRepeats(mlir::ModuleOp program, const MemoryMeasures &memory,
                                       const cost::Cluster &cluster, int64_t ranks,
                                       std::string &why);

/// The number of ranks of a program that is specialised for it; for one that runs on a single
/// device only, 1.
std::optional<int64_t> ranksOf(mlir::ModuleOp program);

/// Whether what a program communicates may differ with the number of ranks in more than the group's
/// size.
bool dependsOnRanks(mlir::ModuleOp program);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_PREDICTION_H
