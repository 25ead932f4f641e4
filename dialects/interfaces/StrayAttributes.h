// Attributes of a symbol that nobody reads, as a misspelt name leaves them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_INTERFACES_STRAYATTRIBUTES_H
#define TUTTI_INTERFACES_STRAYATTRIBUTES_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"

namespace tutti {

/// The first attribute of `op` that its definition does not know and that carries no dialect's
/// prefix; nothing if there is none. A dialect may hang what it likes on an operation under its own
/// name; what has no prefix is a name of the operation's own, and one that it has not is misspelt.
inline std::optional<llvm::StringRef> findStrayAttribute(mlir::Operation *op) {
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().getValue().contains('.'))
      return attribute.getName().getValue();
  return std::nullopt;
}

/// Ends an error with what is wrong with the attribute `name` of `op`, and the names that `op` has.
inline mlir::InFlightDiagnostic &&tellStrayAttribute(mlir::InFlightDiagnostic &&error,
                                                     mlir::Operation *op, llvm::StringRef name) {
  error << "has no attribute '" << name << "'; its own are ";
  llvm::interleaveComma(op->getName().getAttributeNames(), error,
                        [&](mlir::StringAttr own) { error << own.getValue(); });
  error << ", and those of others carry a dialect's prefix";
  return std::move(error);
}

} // namespace tutti

#endif
