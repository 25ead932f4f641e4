// Prints diagnostics in a few lines each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_DIAGNOSTICPRINTER_H
#define TUTTI_LIB_DIAGNOSTICS_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <string>
#include <vector>

namespace tutti::diagnostics {

/// Prints the diagnostics of the contexts that it is attached to; outlives them. Each is at most
/// `mostLines` lines: the message, which names the ONNX node, the line of the source where that is
/// at hand and there is room, and the notes.
///
///     model.onnx: error: 'onnx.custom' has no gradient, ... [ONNX node 'swirl']
///     step.mlir:7:8: note: the gradient is taken here
class DiagnosticPrinter {
public:
  static constexpr size_t mostLines = 5;
  static constexpr size_t mostBytesOfLine = 1000;

  /// `tool` stands in front of messages that have no place. What they print is unlimited if
  /// `printAll`.
  explicit DiagnosticPrinter(llvm::StringRef tool, bool printAll = false,
                             llvm::raw_ostream &out = llvm::errs())
      : tool(tool), printAll(printAll), out(out) {}

  /// Shows lines of `text`, which must stay alive, in messages about it.
  void setSource(llvm::MemoryBufferRef text) { source = text; }

  void attachTo(mlir::MLIRContext *context);

  /// Attaches itself to every context made of `registry`, before handlers of the tool that makes
  /// the context, as soon as that loads a dialect other than `builtin`.
  void attachToContextsOf(mlir::DialectRegistry &registry);

  void print(const mlir::Diagnostic &diagnostic);

  /// Whether there was an error among what was printed.
  bool hasPrintedError() const { return printedError; }

private:
  struct Line;
  void addMessage(const mlir::Diagnostic &diagnostic, std::vector<Line> &lines) const;
  std::vector<Line> excerpt(mlir::Location location) const;
  std::string placeOf(mlir::Location location) const;

  std::string tool;
  bool printAll;
  llvm::raw_ostream &out;
  llvm::MemoryBufferRef source;
  bool printedError = false;
  std::set<std::string> warnings; ///< those that were printed, each once
};

/// MLIR's tools append "see current operation" to errors, with the whole body of a function. In
/// contexts made of `registry` that load a dialect of their own, this cuts each note to its first
/// line, before any handler prints it. For tools that are not ours, such as a stock mlir-opt.
void shortenNotes(mlir::DialectRegistry &registry);

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_DIAGNOSTICPRINTER_H
