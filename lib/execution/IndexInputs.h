// Which inputs of a program are used as indices, and which indices there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_EXECUTION_INDEXINPUTS_H
#define TUTTI_LIB_EXECUTION_INDEXINPUTS_H

#include "mlir/IR/Value.h"

#include <optional>
#include <string>
#include <vector>

namespace tutti::execution {

/// The values that a node can use: `low` to `high`, and `ignored` if it has one.
struct IndexBounds {
  int64_t low, high;
  std::optional<int64_t> ignored;
  std::string node; ///< its name, for messages
  bool isClass;     ///< classes of a loss; otherwise entries of a tensor

  bool operator==(const IndexBounds &other) const;
};

/// The bounds of all nodes of static shape that use the values of `input` as they are: directly, or
/// after ops that only move or cast them. Each once.
std::vector<IndexBounds> findIndexBounds(mlir::Value input);

} // namespace tutti::execution

#endif // TUTTI_LIB_EXECUTION_INDEXINPUTS_H
