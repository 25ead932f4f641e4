// Tutti as a plug-in of a stock mlir-opt: --load-dialect-plugin and --load-pass-plugin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/diagnostics/DiagnosticPrinter.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr const char *kName = "Tutti";
static constexpr const char *kVersion = TUTTI_VERSION;

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, kVersion, [](mlir::DialectRegistry *registry) {
            tutti::registerAllTuttiDialects(*registry);
            tutti::diagnostics::shortenNotes(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, kVersion, [] { tutti::registerAllTuttiPasses(); }};
}
