// ONNX in: a ModelProto becomes a module in the dialects `onnx` and `train`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_IMPORTONNX_H
#define TUTTI_LIB_FRONTEND_IMPORTONNX_H

#include "lib/frontend/GivenFiles.h"
#include "lib/frontend/model/Survey.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tutti::frontend {

/// Imports the serialized ONNX model `content`, read from the file `path` (used for locations, and
/// its folder for external data). The module is a `train.program`: @initialize and @forward for an
/// inference model, @initialize and @step for a model with training_info, and for a training model
/// of ONNX Runtime. `given` are the files beside it. Loads the dialects it needs.
///
/// Errors are reported as diagnostics on `context`, at a location that names the file and, where
/// there is one, the node; then the result is null. No exception leaves this function. Contents of
/// large tensors are used where they lie: `content`, and mapped files of external data, are held
/// for as long as the context lives.
///
/// With a `survey` the import goes on after errors about nodes, inputs and contents of tensors,
/// each of which is still reported: onnx.custom operations with the attribute `kStandIn` and zeros
/// stand for what could not be imported, as far as its type is known, or can be inferred by
/// libonnx.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path,
                                             std::shared_ptr<llvm::MemoryBuffer> content,
                                             mlir::MLIRContext *context, Survey *survey = nullptr,
                                             const GivenFiles &given = {});

/// As above from a copy of `content`, which need not outlive the call.
mlir::OwningOpRef<mlir::ModuleOp> importOnnx(llvm::StringRef path, llvm::StringRef content,
                                             mlir::MLIRContext *context, Survey *survey = nullptr,
                                             const GivenFiles &given = {});

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_IMPORTONNX_H
