// A diagnostic handler that cuts notes to one line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/DiagnosticPrinter.h"

#include "lib/diagnostics/ContextHook.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

static constexpr size_t longestLine = 200;

/// "see current operation: func.func @step(...) ...": the first two lines belong together, because
/// MLIR prints an operation of several lines on lines of its own.
static std::string firstLineOf(StringRef text) {
  auto [intro, body] = text.split('\n');
  std::string line = (intro.rtrim() + " " + body.ltrim().split('\n').first.rtrim()).str();
  return line.substr(0, longestLine) + " ...";
}

static void shorten(Diagnostic &note) {
  std::string text = note.str();
  if (!StringRef(text).contains('\n') && text.size() <= longestLine)
    return;
  size_t count = note.getArguments().size();
  note << Twine(firstLineOf(text));
  for (DiagnosticArgument &argument : note.getArguments().take_front(count))
    argument = DiagnosticArgument(StringRef(""));
}

void tutti::diagnostics::shortenNotes(DialectRegistry &registry) {
  auto prepare = [](MLIRContext *context) {
    context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      llvm::for_each(diagnostic.getNotes(), shorten);
      return failure(); // not handled: the printing handlers come next
    });
  };
  registry.addExtension(TypeID::get<ContextHook>(), std::make_unique<ContextHook>(prepare));
}
