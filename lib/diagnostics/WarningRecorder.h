// Keeps the warnings of a compilation for later runs that find the program in the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_WARNINGRECORDER_H
#define TUTTI_LIB_DIAGNOSTICS_WARNINGRECORDER_H

#include "lib/diagnostics/NodeDiagnostics.h"

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace tutti::diagnostics {

/// While one lives, it adds the text of each warning of `context`, with the node, to `texts`; the
/// warning is printed as ever.
class WarningRecorder {
public:
  WarningRecorder(mlir::MLIRContext *context, std::vector<std::string> &texts)
      : handler(context, [&texts](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
            texts.push_back(messageWithNode(diagnostic));
          return mlir::failure(); // not handled
        }) {}

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_WARNINGRECORDER_H
