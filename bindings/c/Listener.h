// Who hears what goes wrong in one call of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_BINDINGS_C_LISTENER_H
#define TUTTI_BINDINGS_C_LISTENER_H

#include "mlir/IR/Diagnostics.h"

#include "tutti-c/Tutti.h"

#include <optional>

namespace tutti::bindings {

class Listener {
public:
  Listener(TuttiDiagnosticCallback tell, void *userData) : tell(tell), userData(userData) {}

  /// Passes on an error that is not about a program; always fails.
  llvm::LogicalResult refuse(const llvm::Twine &problem) const;

  /// Passes on a diagnostic of a context and its notes.
  void hear(const mlir::Diagnostic &diagnostic) const;

  /// From here on what `context` reports comes here, for as long as this object lives. Without a
  /// callback the handlers of the context keep it.
  void listenTo(mlir::MLIRContext *context);

private:
  void hearOne(const mlir::Diagnostic &diagnostic) const;

  TuttiDiagnosticCallback tell;
  void *userData;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace tutti::bindings

#endif // TUTTI_BINDINGS_C_LISTENER_H
