// What an Einsum says of the dimensions of its operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_FORMS_EINSUMEQUATION_H
#define TUTTI_LIB_FRONTEND_FORMS_EINSUMEQUATION_H

#include "lib/frontend/forms/ImportedNode.h"

namespace tutti::frontend {

/// One for each dimension: a letter, or -1, -2, ... for the last, the last but one, ... of those
/// that an ellipsis stands for.
using EinsumLabels = llvm::SmallVector<int>;

/// Labels of all operands and of the result.
struct EinsumEquation {
  llvm::SmallVector<EinsumLabels> terms;
  EinsumLabels result;
};

/// Reads attribute `equation` for the ranks of the node's operands, which must be ranked. Failure
/// after a diagnostic.
mlir::FailureOr<EinsumEquation> readEinsumEquation(const ImportedNode &node);

/// A label as messages say it.
std::string einsumLabelName(int label);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_FORMS_EINSUMEQUATION_H
