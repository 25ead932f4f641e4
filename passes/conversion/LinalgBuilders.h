// How lowering writes Linalg: elementwise loops with broadcasting, reductions, and changes of
// shape. All shapes are static. Functions insert at the builder's point and return the value they
// made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_LINALGBUILDERS_H
#define TUTTI_PASSES_CONVERSION_LINALGBUILDERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tutti::conversion {

/// Computes the scalars to yield from one scalar of each input, then of each output.
using ScalarBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange scalars)>;

/// The type of `value`, which is a ranked tensor.
mlir::RankedTensorType tensorType(mlir::Value value);

/// An uninitialised tensor.
mlir::Value createEmpty(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type);

/// A scalar constant of a float or integer `type`.
mlir::Value createScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                         double value);

/// A tensor whose elements are all `value`.
mlir::Value createFilled(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
                         double value);

/// A loop over the elements of `shape` of `outputs`; every output has this shape. Inputs are
/// broadcast to it as ONNX does (aligned to the right, dimensions of size 1 repeat). Returns one
/// tensor for each output.
llvm::SmallVector<mlir::Value> createElementwise(mlir::ImplicitLocOpBuilder &builder,
                                                 mlir::ValueRange inputs, mlir::ValueRange outputs,
                                                 ScalarBody body);

/// The same with one new output of `type`.
mlir::Value createElementwise(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
                              mlir::ValueRange inputs, ScalarBody body);

/// A loop over the elements of `type`, a new output; input i is read at `inputMaps[i]`.
mlir::Value createMapped(mlir::ImplicitLocOpBuilder &builder, mlir::RankedTensorType type,
                         mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> inputMaps,
                         ScalarBody body);

/// A loop nest over `shape`. Input i is read at `inputMaps[i]`; each output keeps the dimensions
/// `kept` (in increasing order) and reduces the others, starting from its entry in `initial`. The
/// body gets inputs, then accumulators, and yields the new accumulators.
llvm::SmallVector<mlir::Value>
createReduction(mlir::ImplicitLocOpBuilder &builder, llvm::ArrayRef<int64_t> shape,
                llvm::ArrayRef<int64_t> kept, mlir::ValueRange inputs,
                llvm::ArrayRef<mlir::AffineMap> inputMaps, llvm::ArrayRef<mlir::Type> elementTypes,
                llvm::ArrayRef<double> initial, ScalarBody body);

/// Reduces the dimensions of `input` that are not in `kept`; see above.
mlir::Value createReduction(mlir::ImplicitLocOpBuilder &builder, mlir::Value input,
                            llvm::ArrayRef<int64_t> kept, double initial, ScalarBody body);

/// The sum of `input` over the dimensions that are not in `kept`.
mlir::Value createSum(mlir::ImplicitLocOpBuilder &builder, mlir::Value input,
                      llvm::ArrayRef<int64_t> kept);

/// The same elements in row-major order under another shape.
mlir::Value createReshape(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                          llvm::ArrayRef<int64_t> shape);

/// All dimensions below `rank` but `dropped`.
llvm::SmallVector<int64_t> dimensionsWithout(int64_t rank, llvm::ArrayRef<int64_t> dropped);

/// The map (d0, ..., dn-1) -> (those of `dimensions`).
mlir::AffineMap selectDimensions(mlir::MLIRContext *context, int64_t rank,
                                 llvm::ArrayRef<int64_t> dimensions);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_LINALGBUILDERS_H
