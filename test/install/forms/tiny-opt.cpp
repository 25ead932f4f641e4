// tiny-opt: an mlir-opt that knows the dialect of examples/embed, and Tutti's passes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tiny.h"

#include "tutti/passes/Embedding.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tiny::TinyDialect>();
  tutti::registerAllStages(registry);
  tutti::registerPassesOfAllStages();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "passes on tiny\n", registry));
}
