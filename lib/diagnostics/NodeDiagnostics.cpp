// A diagnostic handler that adds node names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/NodeDiagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace tutti::diagnostics;

StringRef tutti::diagnostics::nodeNameOf(Location location) {
  auto named = location->findInstanceOf<NameLoc>();
  if (!named)
    return "";
  auto file = dyn_cast<FileLineColLoc>(named.getChildLoc());
  return file && file.getLine() == 0 ? named.getName().getValue() : "";
}

static LogicalResult appendNodeName(Diagnostic &diagnostic) {
  StringRef name = nodeNameOf(diagnostic.getLocation());
  std::string quoted = ("'" + name + "'").str();
  if (!name.empty() && !StringRef(diagnostic.str()).contains(quoted))
    diagnostic << " [ONNX node " << quoted << "]";
  return failure(); // not handled: the printing handlers come next
}

void tutti::diagnostics::nameNodesInDiagnostics(MLIRContext *context) {
  context->getDiagEngine().registerHandler(appendNodeName);
}
