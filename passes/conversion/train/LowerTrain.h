// The groups of patterns of the pass lower-train that have files of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_TRAIN_LOWERTRAIN_H
#define TUTTI_PASSES_CONVERSION_TRAIN_LOWERTRAIN_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace tutti::conversion {

/// The updates of variables.
void populateOptimizerPatterns(mlir::RewritePatternSet &patterns);
/// Loss scaling, clipping, skipped steps.
void populateGradientPatterns(mlir::RewritePatternSet &patterns);

/// micro_batch, piece, put_micro_batch and zero_batch.
void populateMicroBatchPatterns(mlir::RewritePatternSet &patterns);

/// Operations on lists of rows.
void populateRowsPatterns(mlir::RewritePatternSet &patterns);

/// The Euclidean norm of all elements of all `tensors`, a scalar tensor computed in f32.
mlir::Value createNorm(mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange tensors);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_TRAIN_LOWERTRAIN_H
