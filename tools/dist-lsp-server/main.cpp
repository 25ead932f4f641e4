// dist-lsp-server: MLIR's language server with Tutti's dialects, for editors that show training
// programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int count, char **arguments) {
  mlir::DialectRegistry registry;
  tutti::registerAllTuttiDialects(registry);
  return failed(mlir::MlirLspServerMain(count, arguments, registry));
}
