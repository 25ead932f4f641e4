// The verdict on gradients asks what a rank's value is of its samples: a sum is reduced by a sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/verification/GradientVerdict.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

static constexpr char kProgram[] = R"(
#w = #train.variable<"w", trainable>
module attributes {{train.program} {{
  collective.group @world {{size = 4 : i64}
  train.dataset @data {{shard = #train.shard<strided, error, @world>}
  func.func @initialize() -> (tensor<8xf32> {{train.variable = #w}) {{
    %w = arith.constant dense<1.0> : tensor<8xf32>
    return %w : tensor<8xf32>
  }
  func.func @step(%w: tensor<8xf32> {{train.variable = #w}, %x: tensor<8xf32> {{train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {{train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<8xf32> {{train.variable = #w}) {{
    %g = arith.mulf %w, %x : tensor<8xf32>
    %r = collective.all_reduce {0} %g on @world : tensor<8xf32>
    %w1 = train.sgd %w gradient %r rate %lr : tensor<8xf32>, tensor<f32>
    return %w1 : tensor<8xf32>
  }
}
)";

namespace {

/// Whether a program that reduces by `reduction` is right where each rank's gradient has `role`.
bool isRight(StringRef reduction, SampleRole role, std::string *message = nullptr) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, train::TrainDialect,
                      collective::CollectiveDialect>();
  std::string text = llvm::formatv(kProgram, reduction).str();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (message)
      *message = diagnostic.str();
    return success();
  });
  FailureOr<program::Program> found = program::Program::find(*module);
  UniformityAnalysis uniformity(*module);
  return succeeded(verifyScale(*found, uniformity, "test", [&](Value value) { return role; }));
}

TEST(GradientVerdict, ASumOverSamplesIsReducedBySum) {
  EXPECT_TRUE(isRight("sum", SampleRole::Sum));
  std::string message;
  EXPECT_FALSE(isRight("mean", SampleRole::Sum, &message));
  EXPECT_NE(message.find("'collective.all_reduce' makes the gradient of variable \"w\" a mean over "
                         "the ranks, though each has the sum over its samples: use sum"),
            std::string::npos)
      << message;
}

TEST(GradientVerdict, AMeanOverSamplesIsReducedByMean) {
  EXPECT_TRUE(isRight("mean", SampleRole::Mean));
  EXPECT_FALSE(isRight("sum", SampleRole::Mean));
}

TEST(GradientVerdict, WhatIsNotKnownIsTakenForAMean) {
  EXPECT_TRUE(isRight("mean", SampleRole::Unknown));
  EXPECT_FALSE(isRight("sum", SampleRole::Unknown));
}

} // namespace
