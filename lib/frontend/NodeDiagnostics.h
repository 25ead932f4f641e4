// Lets every diagnostic name the ONNX node it is about.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_FRONTEND_NODEDIAGNOSTICS_H
#define TUTTI_LIB_FRONTEND_NODEDIAGNOSTICS_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tutti::frontend {

/// MLIR's printers show only the file of a location such as `loc("conv1"("m.onnx":0:0))`. This
/// registers a diagnostic handler, for the rest of the context's life, that appends the node's name
/// to such messages and leaves the printing to the handlers registered before.
void nameNodesInDiagnostics(mlir::MLIRContext *context);

} // namespace tutti::frontend

#endif // TUTTI_LIB_FRONTEND_NODEDIAGNOSTICS_H
