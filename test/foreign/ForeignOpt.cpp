// foreign-opt: mlir-opt with our passes, and with a dialect that they have not heard of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/foreign/Exchange.h"
#include "test/foreign/Lacking.h"
#include "test/foreign/Mute.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tutti::registerAllTuttiDialects(registry);
  registry.insert<tutti::test::ExchangeDialect, tutti::test::LackingDialect,
                  tutti::test::MuteDialect>();
  tutti::registerAllTuttiPasses();
  tutti::test::registerTranslations();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "passes on the dialect exchange\n", registry));
}
