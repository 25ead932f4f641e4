// Where remarks go: to people as lines of text, to programs as JSON. Both name the ONNX node.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_REMARKPRINTER_H
#define TUTTI_LIB_DIAGNOSTICS_REMARKPRINTER_H

#include "lib/output/OutputFile.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
namespace remark::detail {
class Remark;
} // namespace remark::detail
} // namespace mlir

namespace tutti::diagnostics {

enum class RemarkStyle { None, Notes, Text, Json };

struct RemarkOptions {
  RemarkStyle style = RemarkStyle::None;
  std::string filter; ///< regular expression on the pass's whole flag; empty: all passes
  std::string file;   ///< whole or absent; empty: standard error
  std::string tool;   ///< whose notes they are
  /// Takes the first remarks of all passes as JSON, whatever style and filter are; null: nobody
  /// does.
  std::vector<std::string> *kept = nullptr;
};

/// Prints the remarks of the contexts that it is attached to; outlives them. Thread-safe.
///
/// Text: `remark: conv1: what was done and why [distribute-sync-batch-norm, missed]`; in front
/// stands the node, or else the place in the file. JSON: one object a line with "pass", "kind"
/// (passed, missed, analysis or failure), "message", "function", "node", "file", "line" and "args"
/// (what the pass gives beside the message, by key); what is not known is absent. Notes: of what
/// passes found, "analysis", the message and the first of its "names", for those who asked for no
/// remarks: `dist-run: 2 variables frozen: conv1.weight, conv1.bias`.
class RemarkPrinter {
public:
  /// Opens the file and checks the filter. Null if no remarks are asked for.
  static llvm::Expected<std::unique_ptr<RemarkPrinter>> create(RemarkOptions options);

  /// Makes `context` send its remarks here, in place of any earlier receiver, and run passes in one
  /// thread, so that remarks come in the order of the program.
  void attachTo(mlir::MLIRContext *context);

  void print(const mlir::remark::detail::Remark &remark);

  /// How many remarks `kept` takes.
  static constexpr size_t mostKept = 500;

  /// Completes the file. Says if what was printed could not be written.
  llvm::Error finish();

private:
  bool passesFilter(const mlir::remark::detail::Remark &remark) const;
  explicit RemarkPrinter(RemarkOptions options) : options(std::move(options)) {}

  RemarkOptions options;
  std::optional<OutputFile> file; ///< none for standard error
  std::mutex mutex;
};

/// A remark as a note: its message, and the first of its "names".
std::string spellNote(const mlir::remark::detail::Remark &remark);

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_REMARKPRINTER_H
