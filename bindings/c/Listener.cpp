// Diagnostics of MLIR as structs of C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/Listener.h"

#include "lib/diagnostics/NodeDiagnostics.h"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace tutti::bindings;

static MlirDiagnosticSeverity severityOf(const Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  llvm_unreachable("a severity that MLIR does not have");
}

LogicalResult Listener::refuse(const Twine &problem) const {
  std::string message = problem.str();
  TuttiDiagnostic diagnostic{
      MlirDiagnosticError, wrap(StringRef(message)), wrap(StringRef("")), 0, 0,
      wrap(StringRef(""))};
  if (tell)
    tell(&diagnostic, userData);
  return failure();
}

void Listener::hearOne(const Diagnostic &diagnostic) const {
  std::string message = diagnostic.str();
  auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  StringRef node = diagnostics::nodeNameOf(diagnostic.getLocation());
  TuttiDiagnostic told{severityOf(diagnostic),
                       wrap(StringRef(message)),
                       wrap(place ? place.getFilename().strref() : StringRef("")),
                       place ? place.getLine() : 0,
                       place ? place.getColumn() : 0,
                       wrap(node)};
  tell(&told, userData);
}

void Listener::hear(const Diagnostic &diagnostic) const {
  hearOne(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    hearOne(note);
}

void Listener::listenTo(MLIRContext *context) {
  if (tell)
    handler.emplace(context, [this](Diagnostic &diagnostic) { hear(diagnostic); });
}
