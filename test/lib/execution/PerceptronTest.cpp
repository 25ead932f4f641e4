// A training step of a perceptron, end to end: MLIR text to machine code, and the numbers against
// plain loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <chrono>
#include <cmath>

using namespace tutti::test;

namespace {

/// Sizes of a perceptron with one hidden layer.
struct Sizes {
  int64_t batch, in, hidden, out;
};

std::string perceptron(Sizes s) {
  constexpr const char *text = R"(
module attributes {{train.program} {{
  train.dataset @data {{global_batch = {0} : i64}
  func.func @initialize() -> (tensor<{1}x{2}xf32> {{train.variable = #train.variable<"a.weight", trainable>},
                              tensor<{2}xf32> {{train.variable = #train.variable<"a.bias", trainable>},
                              tensor<{2}x{3}xf32> {{train.variable = #train.variable<"b.weight", trainable>}) {{
    %w = onnx.RandomNormal {{shape = array<i64: {1}, {2}>, scale = 2.0e-1 : f32} : tensor<{1}x{2}xf32>
    %b = onnx.Constant dense<1.0e-1> : tensor<{2}xf32>
    %v = onnx.RandomUniform {{shape = array<i64: {2}, {3}>, low = -3.0e-1 : f32, high = 3.0e-1 : f32} : tensor<{2}x{3}xf32>
    return %w, %b, %v : tensor<{1}x{2}xf32>, tensor<{2}xf32>, tensor<{2}x{3}xf32>
  }
  func.func @step(%w: tensor<{1}x{2}xf32> {{train.variable = #train.variable<"a.weight", trainable>},
                  %b: tensor<{2}xf32> {{train.variable = #train.variable<"a.bias", trainable>},
                  %v: tensor<{2}x{3}xf32> {{train.variable = #train.variable<"b.weight", trainable>},
                  %x: tensor<?x{1}xf32> {{train.input = #train.input<"input", @data>},
                  %y: tensor<?xi64> {{train.input = #train.input<"label", @data>},
                  %lr: tensor<f32> {{train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
      -> (tensor<{1}x{2}xf32> {{train.variable = #train.variable<"a.weight", trainable>},
          tensor<{2}xf32> {{train.variable = #train.variable<"a.bias", trainable>},
          tensor<{2}x{3}xf32> {{train.variable = #train.variable<"b.weight", trainable>},
          tensor<f32> {{train.metric = "loss"}) {{
    %h = onnx.Gemm %x, %w, %b : (tensor<?x{1}xf32>, tensor<{1}x{2}xf32>, tensor<{2}xf32>) -> tensor<?x{2}xf32>
    %a = onnx.Relu %h : (tensor<?x{2}xf32>) -> tensor<?x{2}xf32>
    %s = onnx.MatMul %a, %v : (tensor<?x{2}xf32>, tensor<{2}x{3}xf32>) -> tensor<?x{3}xf32>
    %loss, %lp = onnx.SoftmaxCrossEntropyLoss %s, %y : (tensor<?x{3}xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?x{3}xf32>)
    %one = onnx.Constant dense<1.0> : tensor<f32>
    %ds = onnx.SoftmaxCrossEntropyLossGrad %one, %lp, %y : (tensor<f32>, tensor<?x{3}xf32>, tensor<?xi64>) -> tensor<?x{3}xf32>
    %dv = onnx.Gemm %a, %ds {{transA = 1 : i64} : (tensor<?x{2}xf32>, tensor<?x{3}xf32>) -> tensor<{2}x{3}xf32>
    %nv = train.sgd %v gradient %dv rate %lr : tensor<{2}x{3}xf32>, tensor<f32>
    %da = onnx.Gemm %ds, %v {{transB = 1 : i64} : (tensor<?x{3}xf32>, tensor<{2}x{3}xf32>) -> tensor<?x{2}xf32>
    %dh = onnx.ReluGrad %da, %a : (tensor<?x{2}xf32>, tensor<?x{2}xf32>) -> tensor<?x{2}xf32>
    %dw = onnx.Gemm %x, %dh {{transA = 1 : i64} : (tensor<?x{1}xf32>, tensor<?x{2}xf32>) -> tensor<{1}x{2}xf32>
    %db = onnx.ReduceSum %dh {{axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<?x{2}xf32>) -> tensor<{2}xf32>
    %nw = train.sgd %w gradient %dw rate %lr : tensor<{1}x{2}xf32>, tensor<f32>
    %nb = train.sgd %b gradient %db rate %lr : tensor<{2}xf32>, tensor<f32>
    return %nw, %nb, %nv, %loss : tensor<{1}x{2}xf32>, tensor<{2}xf32>, tensor<{2}x{3}xf32>, tensor<f32>
  }
})";
  return llvm::formatv(text, s.batch, s.in, s.hidden, s.out).str();
}

using Matrix = std::vector<double>;

/// One step in f64, by the definition. Returns the loss.
double stepByHand(Sizes s, Matrix &w, Matrix &b, Matrix &v, const std::vector<float> &x,
                  const std::vector<int64_t> &y, double rate) {
  Matrix dw(w.size()), db(b.size()), dv(v.size());
  double loss = 0;
  for (int64_t n = 0; n < s.batch; ++n) {
    Matrix a(s.hidden), p(s.out), da(s.hidden);
    for (int64_t j = 0; j < s.hidden; ++j) {
      a[j] = b[j];
      for (int64_t i = 0; i < s.in; ++i)
        a[j] += x[n * s.in + i] * w[i * s.hidden + j];
      a[j] = std::max(a[j], 0.0);
    }
    double sum = 0;
    for (int64_t k = 0; k < s.out; ++k) {
      for (int64_t j = 0; j < s.hidden; ++j)
        p[k] += a[j] * v[j * s.out + k];
      p[k] = std::exp(p[k]);
      sum += p[k];
    }
    loss -= std::log(p[y[n]] / sum) / s.batch;
    for (int64_t k = 0; k < s.out; ++k) {
      double ds = (p[k] / sum - (k == y[n])) / s.batch;
      for (int64_t j = 0; j < s.hidden; ++j) {
        dv[j * s.out + k] += a[j] * ds;
        da[j] += ds * v[j * s.out + k];
      }
    }
    for (int64_t j = 0; j < s.hidden; ++j) {
      if (a[j] <= 0)
        continue;
      db[j] += da[j];
      for (int64_t i = 0; i < s.in; ++i)
        dw[i * s.hidden + j] += x[n * s.in + i] * da[j];
    }
  }
  auto move = [&](Matrix &variable, const Matrix &gradient) {
    for (size_t i = 0; i < variable.size(); ++i)
      variable[i] -= rate * gradient[i];
  };
  move(w, dw);
  move(b, db);
  move(v, dv);
  return loss;
}

Matrix read(tutti::test::LoadedProgram &program, size_t variable, size_t count) {
  auto *values = static_cast<float *>(program.variable(variable));
  return {values, values + count};
}

TEST(Perceptron, ThreeStepsGiveTheNumbersOfPlainLoops) {
  Sizes s{24, 17, 33, 10};
  Compiler compiler;
  auto program = compiler.run(perceptron(s));
  ASSERT_TRUE(program);
  Matrix w = read(*program, 0, s.in * s.hidden), b = read(*program, 1, s.hidden),
         v = read(*program, 2, s.hidden * s.out);
  EXPECT_NEAR(b[5], 0.1, 1e-7);
  Buffer<float> x(numbers(s.batch * s.in)), rate(std::vector<float>{0.5f}), loss(1);
  Buffer<int64_t> y(s.batch);
  for (int64_t n = 0; n < s.batch; ++n)
    y[n] = (n * 7) % s.out;
  for (int step = 0; step < 3; ++step) {
    double expected = stepByHand(s, w, b, v, x.values(), y.values(), 0.5);
    llvm::Error error = program->step({x.data(), y.data(), rate.data()}, {loss.data()});
    ASSERT_FALSE(error) << llvm::toString(std::move(error));
    EXPECT_NEAR(loss[0], expected, 1e-5);
  }
  auto expectNear = [&](size_t variable, const Matrix &expected) {
    Matrix found = read(*program, variable, expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-5) << "variable " << variable << ", element " << i;
  };
  expectNear(0, w);
  expectNear(1, b);
  expectNear(2, v);
}

} // namespace
