// Tables that look as if padding had a row of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_ZEROROWS_H
#define TUTTI_LIB_FRONTEND_TRAINING_ZEROROWS_H

#include "lib/frontend/graph/NodeOrder.h"
#include "lib/frontend/graph/VariableClasses.h"
#include "lib/frontend/model/ModelFile.h"

namespace tutti::frontend {

/// A table, and the number of its row of zeros.
struct ZeroRow {
  llvm::StringRef table;
  int64_t row;
};

/// The trainable tables that `nodes` look rows up in and that have one row of zeros, while others
/// are none: what PyTorch makes of `padding_idx`, which a file does not say. Of large tables only
/// the first rows and the last one are read.
std::vector<ZeroRow> findZeroRows(llvm::ArrayRef<Variable> variables, const NodeList &nodes,
                                  const ModelFile &file);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_ZEROROWS_H
