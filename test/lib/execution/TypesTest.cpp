// Operators and optimizers in types other than f32: they have the digits of their type, and sums of
// 16 bits are taken in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tutti::test;

namespace {

/// An operator between casts: `body` computes %r of type `result` from %a and %b, which have the
/// element type T.
struct Case {
  const char *name, *a, *b, *result, *body;
};

const Case cases[] = {
    {"MatMul", "4x6x", "6x5x", "4x5x", "%r = onnx.MatMul %a, %b : (A, B) -> R"},
    {"MatMulOfBatches", "3x4x6x", "3x6x5x", "3x4x5x", "%r = onnx.MatMul %a, %b : (A, B) -> R"},
    {"Gemm", "6x4x", "5x6x", "4x5x",
     "%r = onnx.Gemm %a, %b {transA = 1 : i64, transB = 1 : i64} : (A, B) -> R"},
    {"Conv", "2x3x6x6x", "4x3x3x3x", "2x4x4x4x", "%r = onnx.Conv %a, %b : (A, B) -> R"},
    {"MaxPool", "2x3x6x6x", "1x", "2x3x3x3x",
     "%r = onnx.MaxPool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (A) -> "
     "R"},
    {"AveragePool", "2x3x6x6x", "1x", "2x3x3x3x",
     "%r = onnx.AveragePool %a {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : "
     "(A) -> R"},
    {"Softmax", "4x6x", "1x", "4x6x", "%r = onnx.Softmax %a : (A) -> R"},
    {"LogSoftmax", "4x6x", "1x", "4x6x", "%r = onnx.LogSoftmax %a : (A) -> R"},
    {"ReduceSum", "4x600x", "1x", "4x",
     "%r = onnx.ReduceSum %a {axes = array<i64: 1>, keepdims = 0 : i64} : (A) -> R"},
    {"ReduceMean", "4x600x", "1x", "4x",
     "%r = onnx.ReduceMean %a {axes = array<i64: 1>, keepdims = 0 : i64} : (A) -> R"},
    {"CumSum", "600x", "1x", "600x", "%r = onnx.CumSum %a {axis = 0 : i64} : (A) -> R"},
    {"Add", "4x6x", "6x", "4x6x", "%r = onnx.Add %a, %b : (A, B) -> R"},
    {"Gelu", "4x6x", "1x", "4x6x", "%r = onnx.Gelu %a : (A) -> R"},
    {"Transpose", "4x6x", "1x", "6x4x",
     "%r = onnx.Transpose %a {perm = array<i64: 1, 0>} : (A) -> R"},
    {"DropoutKeepsAll", "4x6x", "1x", "4x6x",
     "%t = onnx.Constant dense<true> : tensor<i1>\n%z = onnx.Constant dense<0.0> : tensor<f32>\n"
     "%r, %m = onnx.Dropout %a ratio %z training %t : (A, "
     "tensor<f32>, tensor<i1>) -> (R, tensor<4x6xi1>)"},
};

int64_t countOf(llvm::StringRef shape) {
  int64_t count = 1;
  llvm::SmallVector<llvm::StringRef> sizes;
  shape.split(sizes, 'x', -1, false);
  for (llvm::StringRef size : sizes)
    count *= std::stoll(size.str());
  return count;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// What the case gives where it is computed in `element`, from numbers that bf16 has, or why it is
/// refused.
llvm::Expected<std::vector<float>> compute(const Case &c, const std::string &element) {
  auto tensor = [](const std::string &shape, const std::string &type) {
    return "tensor<" + shape + type + ">";
  };
  std::string a = tensor(c.a, element), b = tensor(c.b, element), r = tensor(c.result, element);
  std::string wideA = tensor(c.a, "f32"), wideB = tensor(c.b, "f32"),
              wideR = tensor(c.result, "f32");
  std::string body =
      replaced(replaced(replaced(c.body, "(A", "(" + a), ", B", ", " + b), "> R", "> " + r);
  body = replaced(replaced(body, "(R,", "(" + r + ","), "-> (A", "-> (" + a);
  auto cast = [](const std::string &to, const std::string &from, const std::string &type,
                 const std::string &fromType, const std::string &toType) {
    return to + " = onnx.Cast " + from + " {to = " + type + "} : (" + fromType + ") -> " + toType +
           "\n";
  };
  Compiler compiler;
  auto module = compiler.parse(wrapOperator(
      {wideA, wideB}, {wideR},
      cast("%a", "%0", element, wideA, a) + cast("%b", "%1", element, wideB, b) + body + "\n" +
          cast("%out", "%r", "f32", r, wideR) + "return %out : " + wideR));
  if (!module)
    return llvm::createStringError(compiler.diagnostics());
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &) {};
  auto compiled = tutti::execution::compileProgram(request);
  if (!compiled)
    return llvm::createStringError(llvm::toString(compiled.takeError()) + compiler.diagnostics());
  auto program = llvm::cantFail(tutti::test::LoadedProgram::load(compiled->path()));
  auto eighths = [](size_t count, unsigned seed) { // few digits: exact in every type
    std::vector<float> values = numbers(count, seed);
    for (float &value : values)
      value = std::round(value * 8) / 8 + 0.25f;
    return values;
  };
  Buffer<float> left(eighths(countOf(c.a), 1)), right(eighths(countOf(c.b), 2)),
      out(size_t(countOf(c.result)));
  std::vector<void *> inputs{left.data(), right.data()}, outputs{out.data()};
  if (llvm::Error error = program->step(inputs, outputs))
    return error;
  return out.values();
}

class Types : public testing::TestWithParam<Case> {};

TEST_P(Types, HaveTheDigitsOfTheType) {
  auto expected = compute(GetParam(), "f32");
  ASSERT_TRUE(bool(expected)) << llvm::toString(expected.takeError());
  for (auto [element, unit] : {std::pair{"f64", 1e-6}, {"f16", 1.0 / 1024}, {"bf16", 1.0 / 128}}) {
    SCOPED_TRACE(element);
    auto found = compute(GetParam(), element);
    ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
    for (size_t i = 0; i < expected->size(); ++i)
      ASSERT_NEAR((*found)[i], (*expected)[i], unit * (std::abs((*expected)[i]) + 0.01))
          << "element " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, Types, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
