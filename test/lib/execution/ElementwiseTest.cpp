// Formulas of elementwise operators where digits are easily lost: far from 0, near it, in each
// type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tutti::test;

namespace {

/// Runs `onnx.OP` of attributes `attributes` on numbers of `type`, which is f32 or f64.
template <typename T>
std::vector<T> apply(const std::string &operation, std::vector<T> values,
                     const std::string &attributes = "") {
  std::string element = sizeof(T) == sizeof(float) ? "f32" : "f64";
  std::string type = "tensor<" + std::to_string(values.size()) + "x" + element + ">";
  Compiler compiler;
  auto module =
      compiler.parse(wrapOperator({type}, {type},
                                  "%r = onnx." + operation + " %0 " + attributes + " : (" + type +
                                      ") -> " + type + "\nreturn %r : " + type));
  EXPECT_TRUE(module) << compiler.diagnostics();
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &) {};
  auto compiled = llvm::cantFail(tutti::execution::compileProgram(request));
  auto program = llvm::cantFail(tutti::test::LoadedProgram::load(compiled.path()));
  Buffer<T> in(values), out(values.size());
  std::vector<void *> inputs{in.data()}, outputs{out.data()};
  llvm::cantFail(program->step(inputs, outputs));
  return out.values();
}

/// Every result within `units` in the last place of `expected`, which is computed in more digits.
template <typename T>
void expectExact(const std::string &operation, std::vector<T> values,
                 long double (*expected)(long double), double units = 8,
                 const std::string &attributes = "") {
  std::vector<T> found = apply(operation, values, attributes);
  for (size_t i = 0; i < values.size(); ++i) {
    long double right = expected(values[i]);
    double tolerance = units * std::numeric_limits<T>::epsilon() * double(std::abs(right));
    EXPECT_NEAR(double(found[i]), double(right), tolerance)
        << operation << " of " << double(values[i]);
  }
}

long double softplus(long double x) {
  return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x)));
}
long double elu(long double x) { return x < 0 ? std::expm1(x) : x; }

TEST(Elementwise, SoftplusKeepsItsDigits) {
  expectExact<float>("Softplus", {-80, -20, -10, -1, -1e-3f, 0, 1e-3f, 1, 10, 20, 80}, softplus);
  expectExact<double>("Softplus", {-700, -40, -20, -1, -1e-9, 0, 1e-9, 1, 20, 40, 700}, softplus);
}

TEST(Elementwise, ExponentialUnitsKeepTheirDigitsNearZero) {
  expectExact<float>("Elu", {-1e-30f, -1e-6f, -1e-3f, -1, -20, -100, 2}, elu);
  expectExact<double>("Elu", {-1e-300, -1e-12, -1e-3, -1, -40, -800, 2}, elu);
  expectExact<double>("Celu", {-1e-12, -1, -40, 2}, elu);
}

TEST(Elementwise, AnglesOfLongSequences) {
  auto sine = [](long double x) { return std::sin(x); };
  auto cosine = [](long double x) { return std::cos(x); };
  expectExact<float>("Sin", {0, 1e-5f, 0.5f, 3, 100, 4095, 100000}, sine, 4);
  expectExact<float>("Cos", {0, 1e-5f, 0.5f, 3, 100, 4095, 100000}, cosine, 4);
  expectExact<double>("Sin", {0, 1e-9, 0.5, 3, 100, 4095, 1e9}, sine, 4);
}

TEST(Elementwise, ArcFunctionsKeepTheirDigitsAtTheirEnds) {
  auto sine = [](long double x) { return std::asin(x); };
  auto cosine = [](long double x) { return std::acos(x); };
  expectExact<float>("Asin", {-1, -0.9999999f, -1e-30f, 0, 1e-4f, 0.5f, 1}, sine, 4);
  expectExact<float>("Acos", {-1, -0.5f, 1e-30f, 0.5f, 0.9999999f, 1}, cosine, 4);
  expectExact<double>("Asin", {-1, -1e-300, 1e-9, 0.5, 0.9999999999999999, 1}, sine, 4);
  expectExact<double>("Acos", {-1, -1e-9, 0.5, 0.9999999999999999, 1}, cosine, 4);
  for (const char *operation : {"Asin", "Acos"})
    EXPECT_TRUE(std::isnan(apply<float>(operation, {1.1f})[0])) << operation;
}

TEST(Elementwise, HyperbolicFunctionsKeepTheirDigitsToTheLastNumber) {
  auto sine = [](long double x) { return std::sinh(x); };
  auto cosine = [](long double x) { return std::cosh(x); };
  expectExact<float>("Sinh", {-89, -1, -1e-30f, 0, 1e-4f, 0.5f, 20, 89.4f}, sine, 4);
  expectExact<float>("Cosh", {-89, -1, -1e-30f, 0, 1e-4f, 0.5f, 20, 89.4f}, cosine, 4);
  expectExact<double>("Sinh", {-710, -1, -1e-300, 0, 1e-9, 0.5, 40, 710.4}, sine, 4);
  expectExact<double>("Cosh", {-710, -1, -1e-300, 0, 1e-9, 0.5, 40, 710.4}, cosine, 4);
}

TEST(Elementwise, AreaFunctionsKeepTheirDigits) {
  auto sine = [](long double x) { return std::asinh(x); };
  auto cosine = [](long double x) { return std::acosh(x); };
  auto tangent = [](long double x) { return std::atanh(x); };
  expectExact<float>("Asinh", {-3e38f, -1, -1e-30f, 0, 1e-4f, 0.5f, 1e19f, 3e38f}, sine, 4);
  expectExact<float>("Acosh", {1, 1.0000001f, 1.5f, 1e19f, 3e38f}, cosine, 4);
  expectExact<float>("Atanh", {-0.9999999f, -1e-30f, 0, 1e-4f, 0.5f, 0.9999999f}, tangent, 4);
  expectExact<double>("Asinh", {-1e308, -1e-300, 0, 1e-9, 0.5, 1e200}, sine, 4);
  expectExact<double>("Acosh", {1, 1.0000000000000002, 1.5, 1e200, 1e308}, cosine, 4);
  expectExact<double>("Atanh", {-0.9999999999999999, -1e-300, 0, 1e-9, 0.5}, tangent, 4);
  EXPECT_EQ(apply<float>("Atanh", {1, -1}),
            (std::vector<float>{std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()}));
  EXPECT_TRUE(std::isnan(apply<float>("Acosh", {0.5f})[0]));
}

TEST(Elementwise, WhatIsNoNumberStaysNone) {
  float none = std::numeric_limits<float>::quiet_NaN();
  for (const char *operation :
       {"Relu", "LeakyRelu", "Elu", "Selu", "HardSigmoid", "HardSwish", "Softplus", "Gelu", "Sign",
        "Abs", "Floor", "Round", "Asin", "Acos", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh"})
    EXPECT_TRUE(std::isnan(apply<float>(operation, {none})[0])) << operation;
}

TEST(Elementwise, RoundsToTheEvenOne) {
  EXPECT_EQ(apply<float>("Round", {0.5f, 1.5f, 2.5f, -0.5f, -1.5f}),
            (std::vector<float>{0, 2, 2, 0, -2}));
}

/// 2049 is no number of f16; in 16 bits, 1 + 2048 would be 2048 before it is divided.
TEST(Elementwise, SixteenBitsAreRoundedOnce) {
  std::string type = "tensor<1xf32>", narrow = "tensor<1xf16>";
  Compiler compiler;
  auto module = compiler.parse(wrapOperator(
      {type}, {type},
      "%h = onnx.Cast %0 {to = f16} : (" + type + ") -> " + narrow + "\n%s = onnx.Softsign %h : (" +
          narrow + ") -> " + narrow + "\n%r = onnx.Cast %s {to = f32} : (" + narrow + ") -> " +
          type + "\nreturn %r : " + type));
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &) {};
  auto compiled = llvm::cantFail(tutti::execution::compileProgram(request));
  auto program = llvm::cantFail(tutti::test::LoadedProgram::load(compiled.path()));
  Buffer<float> in(std::vector<float>{2048}), out(size_t(1));
  std::vector<void *> inputs{in.data()}, outputs{out.data()};
  llvm::cantFail(program->step(inputs, outputs));
  EXPECT_EQ(out[0], 0.99951171875f); // 2048 / 2049, rounded to 11 bits
}

/// A mask is stored, because two operations use it, and sums are of 16 lanes.
TEST(Elementwise, SumsUnderAMaskTakeEachElementOnce) {
  constexpr int count = 60;
  Compiler compiler;
  auto module = compiler.parse(wrapOperator(
      {"tensor<60xi64>"}, {"tensor<f32>", "tensor<60xi64>"},
      "%limit = onnx.Constant dense<30> : tensor<i64>\n"
      "%none = onnx.Constant dense<0> : tensor<i64>\n"
      "%table = onnx.Constant dense<1.0> : tensor<60xf32>\n"
      "%zero = onnx.Constant dense<0.0> : tensor<f32>\n"
      "%mask = onnx.Less %0, %limit : (tensor<60xi64>, tensor<i64>) -> tensor<60xi1>\n"
      "%kept = onnx.Where %mask, %0, %none : (tensor<60xi1>, tensor<60xi64>, tensor<i64>) -> "
      "tensor<60xi64>\n"
      "%rows = onnx.Gather %table, %kept : (tensor<60xf32>, tensor<60xi64>) -> tensor<60xf32>\n"
      "%ones = onnx.Where %mask, %rows, %zero : (tensor<60xi1>, tensor<60xf32>, tensor<f32>) -> "
      "tensor<60xf32>\n"
      "%sum = onnx.ReduceSum %ones {keepdims = 0 : i64} : (tensor<60xf32>) -> tensor<f32>\n"
      "return %sum, %kept : tensor<f32>, tensor<60xi64>"));
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &) {};
  auto compiled = llvm::cantFail(tutti::execution::compileProgram(request));
  auto program = llvm::cantFail(tutti::test::LoadedProgram::load(compiled.path()));
  Buffer<int64_t> in{size_t(count)}, kept{size_t(count)};
  Buffer<float> sum{size_t(1)};
  for (int i = 0; i < count; ++i)
    in[i] = i;
  std::vector<void *> inputs{in.data()}, outputs{sum.data(), kept.data()};
  llvm::cantFail(program->step(inputs, outputs));
  EXPECT_EQ(sum[0], 30);
  EXPECT_EQ(kept[29], 29);
  EXPECT_EQ(kept[30], 0);
}

} // namespace
