// The verdict on gradients asks what a rank's value is of its samples: a sum is reduced by a sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/verification/GradientVerdict.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static constexpr char kVerdictProgram[] = R"(
#w = #train.variable<"w", trainable>
module attributes {{train.program} {{
  collective.group @world {{size = 4 : i64}
  train.dataset @data {{shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {{train.variable = #w}) {{
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {{train.variable = #w}, %x: tensor<?x8xf32> {{train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {{train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {{train.variable = #w}) {{
    %g = onnx.{0} %x {{axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x8xf32>) -> tensor<8xf32>
    %r = collective.all_reduce {1} %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
)";

namespace {

/// Whether a program is right whose gradient each rank makes of its samples by `local`, and all
/// ranks together by `reduction`.
bool isRight(StringRef local, StringRef reduction, std::string *message = nullptr) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, onnx::OnnxDialect,
                      train::TrainDialect, collective::CollectiveDialect>();
  std::string text = llvm::formatv(kVerdictProgram, local, reduction).str();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message)
      *message = diagnostic.str();
    return success();
  });
  FailureOr<program::Program> found = program::Program::find(*module);
  UniformityAnalysis uniformity(*module);
  return succeeded(verifyScale(*found, RankLayouts(found->step, uniformity), "test"));
}

TEST(GradientVerdict, ASumOverSamplesIsReducedBySum) {
  EXPECT_TRUE(isRight("ReduceSum", "sum"));
  std::string message;
  EXPECT_FALSE(isRight("ReduceSum", "mean", &message));
  EXPECT_NE(message.find("'collective.all_reduce' makes the gradient of variable \"w\" a mean over "
                         "the ranks, though each has the sum over its samples: use sum"),
            std::string::npos)
      << message;
}

TEST(GradientVerdict, AMeanOverSamplesIsReducedByMean) {
  EXPECT_TRUE(isRight("ReduceMean", "mean"));
  EXPECT_FALSE(isRight("ReduceMean", "sum"));
}

TEST(GradientVerdict, WhatIsNotKnownIsTakenForAMean) {
  EXPECT_TRUE(isRight("ReduceProd", "mean"));
  EXPECT_FALSE(isRight("ReduceProd", "sum"));
}

} // namespace
