// ONNX out: a module in the dialects `onnx` and `train` becomes a ModelProto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_EXPORT_EXPORTONNX_H
#define TUTTI_LIB_FRONTEND_EXPORT_EXPORTONNX_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tutti::frontend {

/// The serialized model of a training program: of @forward a graph, of @step a model with
/// training_info. Variables become initializers with the values that @initialize gives them; what
/// is not constant there, becomes an initialization graph. Importing it gives the same program,
/// but for names. Failure after a diagnostic, which names the operation that ONNX does not have. No
/// exception leaves this function.
mlir::FailureOr<std::string> exportOnnx(mlir::ModuleOp module);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_EXPORT_EXPORTONNX_H
