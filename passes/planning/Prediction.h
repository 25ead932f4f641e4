// The predicted time of a program's step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_PLANNING_PREDICTION_H
#define TUTTI_PASSES_PLANNING_PREDICTION_H

#include "lib/cost/Timeline.h"

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

/// The number of ranks of a program that is specialised for it; for one that runs on a single
/// device only, 1.
std::optional<int64_t> ranksOf(mlir::ModuleOp program);

/// Whether what a program communicates may differ with the number of ranks in more than the group's
/// size.
bool dependsOnRanks(mlir::ModuleOp program);

} // namespace tutti::planning

#endif // TUTTI_PASSES_PLANNING_PREDICTION_H
