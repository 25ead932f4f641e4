// A training program of two variables to look at and to edit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_PROGRAM_SMALLPROGRAM_H
#define TUTTI_TEST_LIB_PROGRAM_SMALLPROGRAM_H

#include "lib/program/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace tutti::test {

/// A trainable variable and a state, updated by momentum from a gradient that is reduced and
/// clipped; @evaluate takes the variable too.
inline constexpr char kSmallProgram[] = R"(
#w = #train.variable<"w", trainable>
#m = #train.variable<"w.momentum", state>
#lr = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>
module attributes {train.program} {
  collective.group @world {size = 2 : i64}
  train.dataset @data {global_batch = 8 : i64, shard = #train.shard<strided, error, @world, ranks = 2>}
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}) {
    %w = arith.constant dense<1.0> : tensor<4xf32>
    %m = arith.constant dense<0.0> : tensor<4xf32>
    return %w, %m : tensor<4xf32>, tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}, %m: tensor<4xf32> {train.variable = #m},
                  %x: tensor<4xf32> {train.input = #train.input<"x", @data>},
                  %lr: tensor<f32> {train.hyperparameter = #lr})
      -> (tensor<4xf32> {train.variable = #w}, tensor<4xf32> {train.variable = #m}, tensor<f32> {train.metric = "loss"}) {
    %loss = arith.constant dense<0.0> : tensor<f32>
    %limit = arith.constant dense<1.0> : tensor<f32>
    %g = collective.all_reduce mean %x on @world : tensor<4xf32>
    %s = train.scale %g by %limit : tensor<4xf32>, tensor<f32>
    %w1, %m1 = train.momentum %w gradient %s velocity %m rate %lr {alpha = 0.9 : f32} : tensor<4xf32>, tensor<f32>
    return %w1, %m1, %loss : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  }
  func.func @evaluate(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.output = "w"}) {
    return %w : tensor<4xf32>
  }
}
)";

class SmallProgram : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<collective::CollectiveDialect, train::TrainDialect, mlir::func::FuncDialect,
                        mlir::arith::ArithDialect, mlir::tensor::TensorDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(kSmallProgram, &context);
    ASSERT_TRUE(module);
    mlir::FailureOr<program::Program> found = program::Program::find(*module);
    ASSERT_TRUE(mlir::succeeded(found));
    program = *found;
  }

  train::VariableAttr role(llvm::StringRef name, train::VariableClass kind) {
    return train::VariableAttr::get(&context, name, kind);
  }

  /// The first operation of this kind in @step.
  template <typename Op> Op find() { return *program.step.getOps<Op>().begin(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  program::Program program;
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_PROGRAM_SMALLPROGRAM_H
