// Ranks that train on their own, and average their variables now and then.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_LOCALTRAINING_H
#define TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_LOCALTRAINING_H

#include "lib/analysis/Uniformity.h"
#include "passes/distribution/RankMean.h"

namespace tutti::distribution {

/// Fails, with an error, where no rank of `program` could train on its own: optimizers are sharded,
/// there is none, or all gradients are equal on every rank already.
mlir::LogicalResult verifyLocalTraining(program::Program program,
                                        const UniformityAnalysis &uniformity);

/// Each rank gets its own (`per_rank`) of every variable that does not stay equal, and of those
/// that depend on them. Returns how many variables that are.
unsigned localizeVariables(program::Program program);

/// The float variables that @step returns and of which each rank has its own; states of optimizers
/// only with `withStates`.
llvm::SmallVector<program::VariableResult> findAveraged(program::Program program, bool withStates);

/// A rank sees its part of each sum over samples (train.batch_sum): as a mean over ranks it counts
/// for more.
void scaleSums(program::Program program, const RankMean &mean);

/// In every `every`-th step, @step returns for `results`, operands of its return, what `build`
/// makes at a point after all of them, in their order; in the others what they are. Steps are
/// counted by a variable of the program if it has such a counter, else by a new one, `counter`.
void changeEvery(program::Program program, int64_t every, llvm::StringRef counter,
                 llvm::function_ref<llvm::SmallVector<mlir::OpOperand *>()> findResults,
                 llvm::function_ref<llvm::SmallVector<mlir::Value>(
                     mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>
                     build);

/// In every `every`-th step, @step returns the mean over the ranks of what findAveraged finds; in
/// the others, what each rank computes. Returns how many variables are averaged.
size_t averageVariables(program::Program program, bool withStates, const RankMean &mean,
                        int64_t every);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_ACCUMULATION_LOCALTRAINING_H
