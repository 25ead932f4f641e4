// Rows of tables that padding looks up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_GRADIENT_PADDINGROWS_H
#define TUTTI_PASSES_GRADIENT_PADDINGROWS_H

#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/recipe/Recipe.h"

namespace tutti::gradient {

/// Lets lookups of the row of zeros (`train.zero_rows`) of each table that the recipe's `padding`
/// names give zeros without a gradient, so that it stays what it is. Fails with a diagnostic if a
/// glob matches no such table, or if the recipe does not say of one of the `trained` variables
/// whether that row is padding.
mlir::LogicalResult keepPaddingRows(ForwardFunction forward, llvm::ArrayRef<unsigned> trained,
                                    const Recipe &recipe);

} // namespace tutti::gradient

#endif // TUTTI_PASSES_GRADIENT_PADDINGROWS_H
