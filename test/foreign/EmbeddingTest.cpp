// What a compiler sees that embeds Tutti and forgets to register something: no crash, and an error
// that says what to do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Embedding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;

namespace {

constexpr char kStep[] = R"(
func.func @initialize() -> tensor<4xf32> {
  %w = arith.constant dense<1.0> : tensor<4xf32>
  return %w : tensor<4xf32>
}
func.func @step(%w: tensor<4xf32>, %x: tensor<?x4xf32>, %rate: tensor<f32>) -> tensor<4xf32> {
  %g = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
  %m = train.mark_gradient %g : tensor<4xf32>
  %next = arith.subf %w, %m : tensor<4xf32>
  return %next : tensor<4xf32>
}
)";

struct EmbeddingTest : ::testing::Test {
  /// Distributes kStep for two ranks in `context`; what is said on failure, "" on success.
  std::string distribute(MLIRContext &context, const DistributeOptions &options) {
    std::string said;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &error) {
      if (error.getSeverity() == DiagnosticSeverity::Error)
        said += error.str() + "\n";
    });
    // The step names an operation of the train dialect.
    context.loadDialect<train::TrainDialect>();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kStep, &context);
    program::StepRoles roles = {{"w"}, {"x"}, {{"rate", 0.1}}, 8};
    if (!module || failed(program::annotateStep(*module, roles)))
      return said + "not read";
    PassManager passes(&context, ModuleOp::getOperationName());
    if (llvm::Error error = addDistributePipeline(passes, options))
      return llvm::toString(std::move(error));
    passes.addPass(specialize::createSpecializeWorldPass({2}));
    return succeeded(passes.run(*module)) ? "" : said + "not distributed";
  }
};

TEST_F(EmbeddingTest, aContextWithAllStagesDistributes) {
  DialectRegistry registry;
  registerAllStages(registry);
  MLIRContext context(registry);
  EXPECT_EQ(distribute(context, {}), "");
}

TEST_F(EmbeddingTest, whatWaitsForTheNumberOfRanksNeedsAStage) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, arith::ArithDialect, tensor::TensorDialect>();
  DistributeOptions options;
  options.overlap = true;
  options.hierarchy = "2";
  std::string said = distribute(context, options);
  EXPECT_NE(said.find("call tutti::registerAllStages"), std::string::npos) << said;
}

TEST_F(EmbeddingTest, passesLoadTheDialectsThatTheyWrite) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, arith::ArithDialect, tensor::TensorDialect>();
  EXPECT_EQ(distribute(context, {}), "");
}

TEST_F(EmbeddingTest, optionsThatContradictEachOtherAreNamed) {
  DialectRegistry registry;
  registerAllStages(registry);
  MLIRContext context(registry);
  DistributeOptions options;
  options.buckets = "auto";
  EXPECT_NE(distribute(context, options).find("buckets=auto"), std::string::npos);
}

} // namespace
