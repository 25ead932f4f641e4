// The groups of patterns of the pass lower-onnx, one file each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_ONNX_LOWERONNX_H
#define TUTTI_PASSES_CONVERSION_ONNX_LOWERONNX_H

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/PatternMatch.h"

namespace tutti::conversion {

/// input - log(sum(e ^ input)) along `axis`, without overflow: the maximum is taken off first.
mlir::Value createLogSoftmax(mlir::ImplicitLocOpBuilder &builder, mlir::Value input, int64_t axis);

/// `whole` with `part` written from entry `first` on along `axis`.
mlir::Value createInsertionAt(mlir::ImplicitLocOpBuilder &builder, mlir::Value part,
                              mlir::Value whole, int64_t first, int64_t axis);

/// What is in `whole` from entry `first` on along `axis`, as much as `type` holds.
mlir::Value createExtractionAt(mlir::ImplicitLocOpBuilder &builder, mlir::Value whole,
                               mlir::RankedTensorType type, int64_t first, int64_t axis);

/// Arithmetic, activations and their gradients, casts.
void populateElementwisePatterns(mlir::RewritePatternSet &patterns);
/// Sums and means over axes and their gradients, global pooling.
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
/// Softmax, log-softmax and their gradients.
void populateSoftmaxPatterns(mlir::RewritePatternSet &patterns);
/// Cross entropy and its gradient.
void populateLossPatterns(mlir::RewritePatternSet &patterns);
/// Batch normalization, its gradient and its statistics.
void populateNormalizationPatterns(mlir::RewritePatternSet &patterns);
/// MatMul and Gemm.
void populateMatrixPatterns(mlir::RewritePatternSet &patterns);
/// Convolution, pooling and their gradients.
void populateWindowPatterns(mlir::RewritePatternSet &patterns);
/// Constants and changes of shape.
void populateShapePatterns(mlir::RewritePatternSet &patterns);
/// Lookups, joining and cutting.
void populatePartsPatterns(mlir::RewritePatternSet &patterns);
/// Slices, margins, triangles and repetitions.
void populateSlicePatterns(mlir::RewritePatternSet &patterns);
/// Elements picked or replaced by indices.
void populateIndexingPatterns(mlir::RewritePatternSet &patterns);
/// Dropout and random tensors.
void populateRandomPatterns(mlir::RewritePatternSet &patterns);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_ONNX_LOWERONNX_H
