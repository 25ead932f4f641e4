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

StringRef tutti::diagnostics::callChainOf(Location location) {
  auto within = location->findInstanceOf<FusedLocWith<StringAttr>>();
  return within ? within.getMetadata().getValue() : "";
}

/// " [ONNX node 'x']", or nothing where the message has it.
static std::string nodeSuffix(const Diagnostic &diagnostic) {
  StringRef name = nodeNameOf(diagnostic.getLocation());
  StringRef chain = callChainOf(diagnostic.getLocation());
  std::string quoted = ("'" + name + "'").str();
  bool isNew = !chain.empty() || !StringRef(diagnostic.str()).contains(quoted);
  if (name.empty() || !isNew)
    return "";
  return (" [ONNX node " + quoted + (chain.empty() ? "" : ", ") + chain + "]").str();
}

std::string tutti::diagnostics::messageWithNode(const Diagnostic &diagnostic) {
  return diagnostic.str() + nodeSuffix(diagnostic);
}

static LogicalResult appendNodeName(Diagnostic &diagnostic) {
  if (std::string suffix = nodeSuffix(diagnostic); !suffix.empty())
    diagnostic << suffix;
  return failure(); // not handled: the printing handlers come next
}

void tutti::diagnostics::nameNodesInDiagnostics(MLIRContext *context) {
  context->getDiagEngine().registerHandler(appendNodeName);
}
