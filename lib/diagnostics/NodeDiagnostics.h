// Lets every diagnostic name the ONNX node it is about.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_NODEDIAGNOSTICS_H
#define TUTTI_LIB_DIAGNOSTICS_NODEDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tutti::diagnostics {

/// The name in `loc("name"("file":0:0))`, the form that only the importer writes; else empty.
llvm::StringRef nodeNameOf(mlir::Location location);

/// How the importer got from that node to an operation of a function's body, in words: the text in
/// `loc(fused<"in function 'f', 'n'">["name"("file":0:0)])`; else empty.
llvm::StringRef callChainOf(mlir::Location location);

/// The message of `diagnostic`, and the node that it is about, unless it names that itself.
std::string messageWithNode(const mlir::Diagnostic &diagnostic);

/// MLIR's printers show only the file of a location such as `loc("conv1"("m.onnx":0:0))`. This
/// registers a diagnostic handler, for the rest of the context's life, that appends the node's
/// name, and how it leads into functions, to such messages and leaves the printing to the handlers
/// registered before.
void nameNodesInDiagnostics(mlir::MLIRContext *context);

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_NODEDIAGNOSTICS_H
