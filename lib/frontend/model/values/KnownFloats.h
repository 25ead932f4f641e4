// Floats that a graph computes from sizes and numbers, as exporters write scaled sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_MODEL_VALUES_KNOWNFLOATS_H
#define TUTTI_LIB_FRONTEND_MODEL_VALUES_KNOWNFLOATS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tutti::frontend {

/// The elements of `value`, a number or a short vector of floats: a constant, or what arithmetic
/// of f32 or f64 makes of constants alone, rounded after each operation. None of anything else.
std::optional<llvm::SmallVector<double>> knownFloats(mlir::Value value);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_MODEL_VALUES_KNOWNFLOATS_H
