// Tables that servers hold, as the ranks of a process see them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_TABLES_H
#define TUTTI_LIB_INTERPRETER_TABLES_H

#include "lib/interpreter/Tensor.h"

#include "mlir/IR/Operation.h"

#include <map>
#include <vector>

namespace tutti::interpreter {

/// What a rank gave to the servers: entry i of `gradients` is of row `indices[i]`, unless that is
/// the number of rows.
struct Push {
  mlir::Operation *op;
  TensorRef indices, gradients;
  std::vector<TensorRef> scalars;
};

/// A table `[rows, ...]`, whose rows stay as they are until the step has ended on all ranks.
struct Table {
  Tensor rows;
  std::map<int64_t, std::vector<Push>> pushes; ///< of this step, by rank

  int64_t countRows() const { return rows.shape.front(); }
  int64_t sizeOfRow() const { return rows.size() / std::max<int64_t>(countRows(), 1); }
};

/// By their numbers in the program. Ranks run in turn, so nothing is locked.
using Tables = std::vector<Table>;

} // namespace tutti::interpreter

#endif // TUTTI_LIB_INTERPRETER_TABLES_H
