// Asks an operation of MLIR for traits that MLIR has given it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bindings/c/Identities.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// To parse and verify this, MLIR asks for the traits that its own C API asks for, too: tables of
/// symbols, isolation from above and, of blocks that are not alone, terminators.
static constexpr StringRef kProbe = R"(
  "a.region"() ({
    "a.end"() [^end] : () -> ()
  ^end:
    "a.end"() : () -> ()
  }) : () -> ()
)";

static bool findTraits() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {}); // the caller says what it means
  // A trait goes by the name that it has for the compiler of whoever asks first, and GCC's names
  // are not Clang's. MLIR's library asks here, before this one, so that what else Clang has
  // compiled, such as the archives of MLIR's C API, finds the trait too.
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kProbe, &context);
  return module && (*module)->hasTrait<OpTrait::SymbolTable>() &&
         (*module)->hasTrait<OpTrait::IsIsolatedFromAbove>();
}

bool tutti::bindings::sharesIdentities() {
  static const bool isShared = findTraits();
  return isShared;
}
