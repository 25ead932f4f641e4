// The variables of an inference model, told apart by what the model says of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_TRAINING_MODELVARIABLES_H
#define TUTTI_LIB_FRONTEND_TRAINING_MODELVARIABLES_H

#include "lib/frontend/training/ProgramImport.h"

namespace tutti::frontend {

/// The initializers of `names` that `nodes` use as variables, in their order. What the metadata
/// names is of the class that it says. Remarks list those that the exporter had merged, and those
/// that stay one in several places; the attribute `train.doubtful` of the module those that a model
/// of PyTorch may not mean to train; a survey gets a hint of all that look like buffers. Fails
/// after a diagnostic.
mlir::FailureOr<llvm::SmallVector<Variable>>
findModelVariables(ProgramImport &import, const NodeList &nodes, const GraphNames &names);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_TRAINING_MODELVARIABLES_H
