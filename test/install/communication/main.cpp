// Fuses the collectives of a program, and proves their order, with the communication stage alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tutti/passes/communication/Passes.h"
#include "tutti/passes/registration/Register.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

static const char *const program = R"(
  collective.group @world
  func.func @step(%a: tensor<4xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
    %x = collective.all_reduce sum %a on @world : tensor<4xf32>
    %y = collective.all_reduce sum %b on @world : tensor<2xf32>
    return %x, %y : tensor<4xf32>, tensor<2xf32>
  })";

int main() {
  mlir::DialectRegistry registry;
  tutti::registerCommunication(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  mlir::PassManager passes(&context);
  tutti::communication::CollectiveFusePassOptions options;
  options.bucketBytes = 1 << 20;
  passes.addPass(tutti::communication::createCollectiveFusePass(options));
  passes.addPass(tutti::communication::createCollectiveVerifyOrderPass());
  if (!module || failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
