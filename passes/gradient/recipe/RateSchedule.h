// The learning rate of a step, computed in the step from the number of steps done.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_RECIPE_RATESCHEDULE_H
#define TUTTI_PASSES_GRADIENT_RECIPE_RATESCHEDULE_H

#include "passes/gradient/recipe/Recipe.h"

#include "mlir/IR/Builders.h"

namespace tutti::gradient {

/// Reads the file of `schedule` into its table. Each line has a step and the rate that holds from
/// it on, separated by spaces or a comma; # begins a comment. Complains about a file that cannot be
/// read, and names the line that is wrong.
llvm::LogicalResult readTable(Schedule &schedule, options::Complain complain);

/// `rate`, a scalar of f32, as `schedule` changes it at `step`, a scalar of i64 that counts the
/// steps before this one. The number depends on nothing else, so a run that is resumed goes on as
/// it would have. Computed in f64.
mlir::Value addScheduledRate(mlir::OpBuilder &builder, mlir::Location location, mlir::Value rate,
                             mlir::Value step, const Schedule &schedule);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_RECIPE_RATESCHEDULE_H
