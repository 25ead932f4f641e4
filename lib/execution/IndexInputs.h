// Which inputs of a program are used as indices, and which indices there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_INDEXINPUTS_H
#define TUTTI_LIB_EXECUTION_INDEXINPUTS_H

#include "tutti/manifest.h"

#include "mlir/IR/Value.h"

namespace tutti::execution {

using manifest::IndexBounds;

/// The bounds of all nodes of static shape that use the values of `input` as they are: directly, or
/// after ops that only move or cast them. Each once.
std::vector<IndexBounds> findIndexBounds(mlir::Value input);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_INDEXINPUTS_H
