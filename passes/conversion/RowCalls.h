// Calls of the kernels on rows of tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_CONVERSION_ROWCALLS_H
#define TUTTI_PASSES_CONVERSION_ROWCALLS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tutti::conversion {

/// Bytes of one index.
int64_t indexBytes(mlir::Value indices);

/// What is looked up at `indices` in dimension `axis` of `table`, as a tensor of `type`. With
/// `unused`, an index that is the size of this dimension gives zeros.
mlir::Value createGatherRows(mlir::ImplicitLocOpBuilder &builder, mlir::Value table,
                             mlir::Value indices, mlir::RankedTensorType type, int64_t axis,
                             bool unused);

} // namespace tutti::conversion

#endif // TUTTI_PASSES_CONVERSION_ROWCALLS_H
