// Rules of sharding by family of operations of StableHLO.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_STABLEHLO_FAMILIES_H
#define TUTTI_LIB_STABLEHLO_FAMILIES_H

#include "lib/stablehlo/SharedFactors.h"

namespace tutti::stablehlo {

// Each says which dimensions of an operation of its kind are factors. False where attributes are
// not those of its specification.
bool shareBroadcast(mlir::Operation *op, SharedFactors &factors);
bool shareTranspose(mlir::Operation *op, SharedFactors &factors);
bool shareBitcast(mlir::Operation *op, SharedFactors &factors);
bool shareDot(mlir::Operation *op, SharedFactors &factors);
bool shareBatchNorm(mlir::Operation *op, SharedFactors &factors);
bool shareConvolution(mlir::Operation *op, SharedFactors &factors);
bool shareReduce(mlir::Operation *op, SharedFactors &factors);
bool shareGather(mlir::Operation *op, SharedFactors &factors);
bool shareScatter(mlir::Operation *op, SharedFactors &factors);

/// Of operations that keep dimensions as they are: whether `dimension` of all tensors passes,
/// provided that it is equally long in all.
bool keepsDimension(mlir::Operation *op, int64_t dimension);

/// The sets of operands in which the operation is linear.
void addLinearSets(mlir::Operation *op, SharedFactors &factors);

} // namespace tutti::stablehlo

#endif // TUTTI_LIB_STABLEHLO_FAMILIES_H
