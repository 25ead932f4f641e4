// Which variables of a step are cut among neighbouring ranks: by name, or found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORRULES_H
#define TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORRULES_H

#include "passes/distribution/tensor/TensorPlacement.h"

#include "lib/program/Program.h"

namespace tutti::distribution {

/// What is computed with the variables of the step of `program` that `rules` name. Rules are
/// separated by semicolons: PATTERN=DIMENSION cuts the trainable variables of these names,
/// PATTERN=whole keeps them whole. "auto" before them finds cuts of all others: pairs of products,
/// the first cut along the columns of its weight and the second along the rows.
///
/// Emits an error for text that is no rule, a pattern that names no trainable variable, a dimension
/// that is not there or that `parts` do not divide, and a variable that cannot stay whole because
/// it is only used with parts of another.
mlir::FailureOr<TensorPlacement> placeByRules(program::Program program, llvm::StringRef rules,
                                              int64_t parts);

/// A weight of a product, along its columns, and the first product that takes it.
struct Column {
  mlir::BlockArgument weight;
  TensorCut along;
  mlir::Operation *product;
};

/// The weights of `step` that have at least as many columns as rows, of which `parts` ranks have no
/// equal blocks; in the order of the program.
llvm::SmallVector<Column> findUnequalColumns(mlir::func::FuncOp step, int64_t parts);

} // namespace tutti::distribution

#endif // TUTTI_PASSES_DISTRIBUTION_TENSOR_TENSORRULES_H
