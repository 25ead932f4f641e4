// Runs something once in every context that a tool makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_DIAGNOSTICS_CONTEXTHOOK_H
#define TUTTI_LIB_DIAGNOSTICS_CONTEXTHOOK_H

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>

namespace tutti::diagnostics {

/// Calls `prepare` with each context made of a registry, when the context loads its first dialect
/// beyond `builtin`. A tool such as MlirOptMain has registered its own diagnostic handlers by then,
/// so a handler that `prepare` registers comes before them.
class ContextHook : public mlir::DialectExtensionBase {
public:
  using Prepare = std::function<void(mlir::MLIRContext *)>;

  explicit ContextHook(Prepare prepare)
      : DialectExtensionBase(/*dialectNames=*/llvm::ArrayRef<llvm::StringRef>()),
        prepare(std::move(prepare)) {}

  void apply(mlir::MLIRContext *context,
             llvm::MutableArrayRef<mlir::Dialect *> dialects) const final {
    if (isDone || llvm::isa<mlir::BuiltinDialect>(dialects.front()))
      return;
    isDone = true;
    prepare(context);
  }

  /// Each context has a copy of its registry's extensions.
  std::unique_ptr<DialectExtensionBase> clone() const final {
    return std::make_unique<ContextHook>(prepare);
  }

private:
  Prepare prepare;
  mutable bool isDone = false;
};

} // namespace tutti::diagnostics

#endif // TUTTI_LIB_DIAGNOSTICS_CONTEXTHOOK_H
