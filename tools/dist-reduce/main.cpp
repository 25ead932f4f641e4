// dist-reduce: mlir-reduce with Tutti's dialects and passes. It makes a program that shows a fault
// smaller.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int count, char **arguments) {
  tutti::registerAllTuttiPasses();
  mlir::DialectRegistry registry;
  tutti::registerAllTuttiDialects(registry);
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(count, arguments, context));
}
