// Keeps from people what passes say of a copy that is only tried.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_QUIETDIAGNOSTICS_H
#define TUTTI_LIB_DIAGNOSTICS_QUIETDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace tutti::diagnostics {

/// While one lives, RemarkPrinter drops what passes of `context` remark.
class QuietRemarks {
public:
  explicit QuietRemarks(mlir::MLIRContext *context);
  ~QuietRemarks();
  QuietRemarks(const QuietRemarks &) = delete;
  QuietRemarks &operator=(const QuietRemarks &) = delete;

  /// Whether any lives for `context`. From any thread.
  static bool isQuiet(mlir::MLIRContext *context);

private:
  mlir::MLIRContext *context;
};

/// While one lives, neither remarks of `context` nor diagnostics of this thread reach anybody.
/// Several threads may have one each, for copies that they try at the same time.
class QuietDiagnostics {
public:
  /// `firstError` takes the text of the first error, unless it has one already.
  explicit QuietDiagnostics(mlir::MLIRContext *context, std::string *firstError = nullptr);

private:
  mlir::ScopedDiagnosticHandler handler;
  QuietRemarks remarks;
};

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_QUIETDIAGNOSTICS_H
