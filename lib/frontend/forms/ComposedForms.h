// Operators that the dialect has no operation for, expressed by operations that it has. Their
// gradients, lowering and costs are those of their parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_COMPOSEDFORMS_H
#define TUTTI_LIB_FRONTEND_FORMS_COMPOSEDFORMS_H

#include "lib/frontend/forms/OpsetForms.h"

namespace tutti::frontend {

/// Mean and variance in two passes: one pass would lose the digits that a large mean takes. Types
/// of 16 bits are summed in f32.
mlir::LogicalResult composeLayerNormalization(ImportedNode &node, FormContext &context,
                                              Results &results);
/// The second result is that of SimplifiedLayerNormalization.
mlir::LogicalResult composeRMSNormalization(ImportedNode &node, FormContext &context,
                                            Results &results);

mlir::LogicalResult composeReduceL1(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeReduceL2(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeReduceSumSquare(ImportedNode &node, FormContext &context,
                                           Results &results);
mlir::LogicalResult composeReduceLogSum(ImportedNode &node, FormContext &context, Results &results);
/// Without overflow: the maximum is taken off first.
mlir::LogicalResult composeReduceLogSumExp(ImportedNode &node, FormContext &context,
                                           Results &results);

/// Two operands at a time, from the left: a matrix product where something is summed over.
mlir::LogicalResult composeEinsum(ImportedNode &node, FormContext &context, Results &results);
/// With its indices where a node has them and the sizes of the input, but for the batch, are known;
/// else nothing is left to compose.
mlir::LogicalResult composeMaxPool(ImportedNode &node, FormContext &context, Results &results);
/// A window that sees all: of several largest elements the first one gets the gradient, as in any
/// window. Where the sizes are not known, a ReduceMax, in which they share it.
mlir::LogicalResult composeGlobalMaxPool(ImportedNode &node, FormContext &context,
                                         Results &results);
/// A Conv of the input with zeros between its elements.
mlir::LogicalResult composeConvTranspose(ImportedNode &node, FormContext &context,
                                         Results &results);
/// Blocks, a column each, laid over each other: a ConvTranspose that only places them.
mlir::LogicalResult composeCol2Im(ImportedNode &node, FormContext &context, Results &results);
/// Lookups along each dimension that changes; Upsample likewise.
mlir::LogicalResult composeResize(ImportedNode &node, FormContext &context, Results &results);
/// The norm of each window: a root of a mean of powers, times how many there are.
mlir::LogicalResult composeLpPool(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeGlobalLpPool(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeLRN(ImportedNode &node, FormContext &context, Results &results);
/// How many there are becomes an attribute; of a size that varies, the first ones of all.
mlir::LogicalResult composeTopK(ImportedNode &node, FormContext &context, Results &results);
/// Of integers; those of floats are operations.
mlir::LogicalResult composeReduceMax(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeReduceMin(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeArgMax(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeArgMin(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult formScatter(ImportedNode &node, FormContext &context);
/// Where what is chosen is constant: else the size of the result would depend on data.
mlir::LogicalResult composeCompress(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeNonZero(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeGather(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeReverseSequence(ImportedNode &node, FormContext &context,
                                           Results &results);
/// To int8 and uint8, with one scale or one for each entry of an axis.
mlir::LogicalResult composeQuantizeLinear(ImportedNode &node, FormContext &context,
                                          Results &results);
/// Of what a QuantizeLinear gave with the same scale and zero point: an onnx.FakeQuantize of that.
mlir::LogicalResult composeDequantizeLinear(ImportedNode &node, FormContext &context,
                                            Results &results);
mlir::LogicalResult composeDynamicQuantizeLinear(ImportedNode &node, FormContext &context,
                                                 Results &results);
/// Of 8-bit numbers, as sums of f64 that are exact; no gradient passes through them.
mlir::LogicalResult composeMatMul(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeMatMulInteger(ImportedNode &node, FormContext &context,
                                         Results &results);
mlir::LogicalResult composeConvInteger(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeQLinearMatMul(ImportedNode &node, FormContext &context,
                                         Results &results);
mlir::LogicalResult composeQLinearConv(ImportedNode &node, FormContext &context, Results &results);
/// Weighted sums of what stands around each point; differentiable in the points, too.
mlir::LogicalResult composeGridSample(ImportedNode &node, FormContext &context, Results &results);
/// The points of all pixels of an image that matrices move.
mlir::LogicalResult composeAffineGrid(ImportedNode &node, FormContext &context, Results &results);
/// A convolution in which each tap looks at a place of its own, which the offsets say.
mlir::LogicalResult composeDeformConv(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeRoiAlign(ImportedNode &node, FormContext &context, Results &results);
/// Brings a node of operator set 6 into the form of 7.
mlir::LogicalResult formOfSix(ImportedNode &node, FormContext &context);
/// Pairs of features, turned by angles that a table has for each place.
mlir::LogicalResult composeRotaryEmbedding(ImportedNode &node, FormContext &context,
                                           Results &results);
/// Of operator sets 23 and 24. Queries that see no key give 0.
mlir::LogicalResult composeAttention(ImportedNode &node, FormContext &context, Results &results);
/// What com.microsoft's operators of attention are made of: operands are queries, keys and values,
/// [batch, entries, heads * size], and perhaps a mask and what is added to the scores.
mlir::LogicalResult composeHeads(ImportedNode &node, FormContext &context, Results &results);
/// Ones with the probabilities that the input has.
mlir::LogicalResult composeBernoulli(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeEyeLike(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeTile(ImportedNode &node, FormContext &context, Results &results);
/// An onnx.Pad; its other modes are slices of the tensor, joined with it.
mlir::LogicalResult composePad(ImportedNode &node, FormContext &context, Results &results);
mlir::LogicalResult composeOneHot(ImportedNode &node, FormContext &context, Results &results);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_COMPOSEDFORMS_H
