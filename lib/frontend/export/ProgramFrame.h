// What a program is besides its variables and nodes, as an entry of the model's metadata.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_PROGRAMFRAME_H
#define TUTTI_LIB_FRONTEND_EXPORT_PROGRAMFRAME_H

#include "lib/frontend/model/ModelFile.h"

#include "mlir/IR/BuiltinOps.h"

namespace tutti::frontend {

/// Adds to `model` the text of `module` without the bodies of its functions; see OperationNodes.h.
void addProgramFrame(mlir::ModuleOp module, proto::ModelProto &model);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_PROGRAMFRAME_H
