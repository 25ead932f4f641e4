// Operators that ONNX publishes no test cases for: gradients, batch statistics, losses of other
// types. Each against plain loops or against differences of the operator it is the gradient of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace tutti::test;

namespace {

using Values = std::vector<float>;

/// Runs `body` on f32 inputs; returns its f32 results.
std::vector<Values> run(llvm::ArrayRef<std::string> inputTypes, llvm::ArrayRef<Values> inputs,
                        llvm::ArrayRef<std::string> resultTypes, llvm::ArrayRef<size_t> resultSizes,
                        llvm::StringRef body) {
  Compiler compiler;
  // Inputs of operators are not batches of one size: fix the shapes in the text and skip the pass
  // that fixes batches.
  auto module = compiler.parse(wrapOperator(inputTypes, resultTypes, body));
  std::vector<Values> results;
  if (!module) {
    ADD_FAILURE() << compiler.diagnostics();
    return results;
  }
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &) {};
  auto compiled = tutti::execution::compileProgram(request);
  if (!compiled) {
    ADD_FAILURE() << llvm::toString(compiled.takeError()) << compiler.diagnostics();
    return results;
  }
  auto program = llvm::cantFail(tutti::test::LoadedProgram::load(compiled->path()));
  std::vector<std::unique_ptr<Buffer<float>>> memory;
  std::vector<void *> in, out;
  for (const Values &values : inputs)
    in.push_back(memory.emplace_back(std::make_unique<Buffer<float>>(values))->data());
  for (size_t size : resultSizes)
    out.push_back(memory.emplace_back(std::make_unique<Buffer<float>>(size))->data());
  if (llvm::Error error = program->step(in, out))
    ADD_FAILURE() << llvm::toString(std::move(error));
  for (size_t i = inputs.size(); i < memory.size(); ++i)
    results.push_back(memory[i]->values());
  return results;
}

Values runOne(llvm::ArrayRef<std::string> inputTypes, llvm::ArrayRef<Values> inputs,
              std::string type, size_t size, llvm::StringRef body) {
  auto results = run(inputTypes, inputs, {type}, {size}, body);
  return results.empty() ? Values(size, NAN) : results[0];
}

void expectClose(const Values &found, const Values &expected, double tolerance = 1e-5) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "element " << i;
}

Values map(const Values &a, const Values &b, std::function<float(float, float)> f) {
  Values result;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(f(a[i], b[i]));
  return result;
}

constexpr const char *kVector = "tensor<37xf32>";

Values runUnaryGradient(const std::string &name, const Values &dy, const Values &saved) {
  return runOne({kVector, kVector}, {dy, saved}, kVector, 37,
                "%r = onnx." + name +
                    " %0, %1 : (tensor<37xf32>, tensor<37xf32>) -> tensor<37xf32>\nreturn %r : "
                    "tensor<37xf32>");
}

TEST(GradientOperators, Activations) {
  Values dy = numbers(37, 1), y = numbers(37, 2);
  y[5] = 0; // the gradient of Relu at 0 is 0
  expectClose(runUnaryGradient("ReluGrad", dy, y),
              map(dy, y, [](float g, float v) { return v > 0 ? g : 0; }));
  expectClose(runUnaryGradient("SigmoidGrad", dy, y),
              map(dy, y, [](float g, float v) { return g * v * (1 - v); }));
  expectClose(runUnaryGradient("TanhGrad", dy, y),
              map(dy, y, [](float g, float v) { return g * (1 - v * v); }));
}

TEST(GradientOperators, SoftmaxAlongTheMiddleAxis) {
  const int A = 3, B = 5, C = 4;
  Values dy = numbers(A * B * C, 1), y = numbers(A * B * C, 2), softmax(A * B * C),
         logSoftmax(A * B * C);
  for (int a = 0; a < A; ++a)
    for (int c = 0; c < C; ++c) {
      double products = 0, sum = 0;
      for (int b = 0; b < B; ++b) {
        int i = (a * B + b) * C + c;
        products += dy[i] * y[i];
        sum += dy[i];
      }
      for (int b = 0; b < B; ++b) {
        int i = (a * B + b) * C + c;
        softmax[i] = y[i] * (dy[i] - products);
        logSoftmax[i] = dy[i] - std::exp(y[i]) * sum;
      }
    }
  std::string type = "tensor<3x5x4xf32>",
              signature = " {axis = 1 : i64} : (" + type + ", " + type + ") -> " + type;
  expectClose(runOne({type, type}, {dy, y}, type, dy.size(),
                     "%r = onnx.SoftmaxGrad %0, %1" + signature + "\nreturn %r : " + type),
              softmax);
  expectClose(runOne({type, type}, {dy, y}, type, dy.size(),
                     "%r = onnx.LogSoftmaxGrad %0, %1" + signature + "\nreturn %r : " + type),
              logSoftmax);
}

TEST(GradientOperators, SumsAndMeans) {
  Values dy = numbers(5, 1), x = numbers(3 * 5 * 4), sum, mean;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 5; ++b)
      for (int c = 0; c < 4; ++c) {
        sum.push_back(dy[b]);
        mean.push_back(dy[b] / 12);
      }
  auto body = [](std::string name) {
    return "%r = onnx." + name +
           " %0, %1 {axes = array<i64: 0, 2>, keepdims = 0 : i64} : (tensor<5xf32>, "
           "tensor<3x5x4xf32>) -> tensor<3x5x4xf32>\nreturn %r : tensor<3x5x4xf32>";
  };
  expectClose(runOne({"tensor<5xf32>", "tensor<3x5x4xf32>"}, {dy, x}, "tensor<3x5x4xf32>", 60,
                     body("ReduceSumGrad")),
              sum);
  expectClose(runOne({"tensor<5xf32>", "tensor<3x5x4xf32>"}, {dy, x}, "tensor<3x5x4xf32>", 60,
                     body("ReduceMeanGrad")),
              mean);
}

/// Cross entropy by its definition: weights per class, an ignored label, one loss per sample.
struct CrossEntropy {
  int batch, classes;
  Values weights;
  int ignored;

  double weight(int label) const { return label == ignored ? 0 : weights[label]; }
  double divisor(const std::vector<int64_t> &labels) const {
    double sum = 0;
    for (int64_t label : labels)
      sum += weight(label);
    return sum;
  }
  double loss(const Values &scores, const std::vector<int64_t> &labels) const {
    double total = 0;
    for (int n = 0; n < batch; ++n) {
      double sum = 0;
      for (int c = 0; c < classes; ++c)
        sum += std::exp(double(scores[n * classes + c]));
      total += weight(labels[n]) * (std::log(sum) - scores[n * classes + labels[n]]);
    }
    return total / divisor(labels);
  }
};

TEST(GradientOperators, CrossEntropyWithWeightsAndAnIgnoredLabel) {
  CrossEntropy definition{6, 4, {1.0f, 0.5f, 2.0f, 0.25f}, 2};
  Values scores = numbers(24, 3);
  std::vector<int64_t> labels{0, 1, 2, 3, 2, 1};
  // Labels stand in the text: the runner feeds floats.
  std::string body = R"(
    %labels = onnx.Constant dense<[0, 1, 2, 3, 2, 1]> : tensor<6xi64>
    %loss, %lp = onnx.SoftmaxCrossEntropyLoss %0, %labels, %1 {ignore_index = 2 : i64}
       : (tensor<6x4xf32>, tensor<6xi64>, tensor<4xf32>) -> (tensor<f32>, tensor<6x4xf32>)
    %dy = onnx.Constant dense<3.0> : tensor<f32>
    %d = onnx.SoftmaxCrossEntropyLossGrad %dy, %lp, %labels, %1 {ignore_index = 2 : i64}
       : (tensor<f32>, tensor<6x4xf32>, tensor<6xi64>, tensor<4xf32>) -> tensor<6x4xf32>
    return %loss, %d : tensor<f32>, tensor<6x4xf32>)";
  auto results = run({"tensor<6x4xf32>", "tensor<4xf32>"}, {scores, definition.weights},
                     {"tensor<f32>", "tensor<6x4xf32>"}, {1, 24}, body);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_NEAR(results[0][0], definition.loss(scores, labels), 1e-5);
  for (size_t i = 0; i < scores.size(); ++i) {
    Values above = scores, below = scores;
    above[i] += 1e-2f;
    below[i] -= 1e-2f;
    double slope =
        (definition.loss(above, labels) - definition.loss(below, labels)) / (above[i] - below[i]);
    EXPECT_NEAR(results[1][i], 3 * slope, 1e-4) << "element " << i;
  }
}

TEST(GradientOperators, CrossEntropyOfEachSampleAndTheirSum) {
  std::string body = R"(
    %labels = onnx.Constant dense<[2, 0]> : tensor<2xi32>
    %each, %lp = onnx.SoftmaxCrossEntropyLoss %0, %labels {reduction = "none"} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2x3xf32>)
    %total, %lq = onnx.SoftmaxCrossEntropyLoss %0, %labels {reduction = "sum"} : (tensor<2x3xf32>, tensor<2xi32>) -> (tensor<f32>, tensor<2x3xf32>)
    %d = onnx.SoftmaxCrossEntropyLossGrad %1, %lp, %labels {reduction = "none"} : (tensor<2xf32>, tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    return %each, %total, %d : tensor<2xf32>, tensor<f32>, tensor<2x3xf32>)";
  Values scores{1, 2, 3, -1, 0, 1}, dy{2, -1};
  auto results = run({"tensor<2x3xf32>", "tensor<2xf32>"}, {scores, dy},
                     {"tensor<2xf32>", "tensor<f32>", "tensor<2x3xf32>"}, {2, 1, 6}, body);
  ASSERT_EQ(results.size(), 3u);
  double z0 = std::exp(-2) + std::exp(-1) + 1, z1 = z0; // both rows are 1 apart
  EXPECT_NEAR(results[0][0], std::log(z0), 1e-5);
  EXPECT_NEAR(results[0][1], std::log(z1) + 2, 1e-5);
  EXPECT_NEAR(results[1][0], results[0][0] + results[0][1], 1e-5);
  EXPECT_NEAR(results[2][2], 2 * (1 / z0 - 1), 1e-5);
  EXPECT_NEAR(results[2][3], -1 * (std::exp(-2) / z1 - 1), 1e-5);
}

/// Large scores must not overflow.
TEST(GradientOperators, CrossEntropyOfLargeScores) {
  std::string body = R"(
    %labels = onnx.Constant dense<[0]> : tensor<1xi64>
    %loss, %lp = onnx.SoftmaxCrossEntropyLoss %0, %labels : (tensor<1x2xf32>, tensor<1xi64>) -> (tensor<f32>, tensor<1x2xf32>)
    return %loss : tensor<f32>)";
  EXPECT_NEAR(runOne({"tensor<1x2xf32>"}, {{10000, 10010}}, "tensor<f32>", 1, body)[0],
              10 + std::log1p(std::exp(-10)), 1e-3);
}

constexpr int kN = 4, kC = 3, kS = 5;
const std::string kImage = "tensor<4x3x5xf32>", kChannel = "tensor<3xf32>";

struct Statistics {
  Values mean = Values(kC), variance = Values(kC), covariance = Values(kC), meanDy = Values(kC);
};

Statistics statisticsOf(const Values &x, const Values &dy, float epsilon) {
  Statistics s;
  auto each = [&](auto visit) {
    for (int n = 0; n < kN; ++n)
      for (int c = 0; c < kC; ++c)
        for (int i = 0; i < kS; ++i)
          visit(c, (n * kC + c) * kS + i);
  };
  each([&](int c, int i) { s.mean[c] += x[i] / (kN * kS); });
  each([&](int c, int i) { s.variance[c] += (x[i] - s.mean[c]) * (x[i] - s.mean[c]) / (kN * kS); });
  each([&](int c, int i) { s.meanDy[c] += dy[i] / (kN * kS); });
  each([&](int c, int i) {
    s.covariance[c] += dy[i] * (x[i] - s.mean[c]) / std::sqrt(s.variance[c] + epsilon) / (kN * kS);
  });
  return s;
}

TEST(GradientOperators, BatchStatistics) {
  Values x = numbers(60, 1), dy = numbers(60, 2);
  Statistics expected = statisticsOf(x, dy, 1e-5f);
  Values inverse;
  for (float variance : expected.variance)
    inverse.push_back(1 / std::sqrt(variance + 1e-5f));
  std::string body = "%m = onnx.BatchMean %0 : (" + kImage + ") -> " + kChannel +
                     "\n%v = onnx.BatchVariance %0, %m : (" + kImage + ", " + kChannel + ") -> " +
                     kChannel + "\n%c = onnx.BatchCovariance %1, %0, %m, %2 : (" + kImage + ", " +
                     kImage + ", " + kChannel + ", " + kChannel + ") -> " + kChannel +
                     "\nreturn %m, %v, %c : " + kChannel + ", " + kChannel + ", " + kChannel;
  auto results = run({kImage, kImage, kChannel}, {x, dy, inverse}, {kChannel, kChannel, kChannel},
                     {3, 3, 3}, body);
  ASSERT_EQ(results.size(), 3u);
  expectClose(results[0], expected.mean);
  expectClose(results[1], expected.variance);
  expectClose(results[2], expected.covariance);
}

/// The loss sum(w * BatchNorm(x)) by its definition, to differentiate by differences.
double weightedNorm(const Values &x, const Values &scale, const Values &shift, const Values &w) {
  Statistics s = statisticsOf(x, w, 1e-5f);
  double total = 0;
  for (int n = 0; n < kN; ++n)
    for (int c = 0; c < kC; ++c)
      for (int i = 0; i < kS; ++i) {
        int at = (n * kC + c) * kS + i;
        total +=
            w[at] * ((x[at] - s.mean[c]) / std::sqrt(s.variance[c] + 1e-5) * scale[c] + shift[c]);
      }
  return total;
}

TEST(GradientOperators, BatchNormalization) {
  Values x = numbers(60, 1), dy = numbers(60, 2), scale{1.5f, -0.5f, 2.0f}, shift{0.1f, 0.2f, 0.3f},
         old{0.5f, 0.5f, 0.5f};
  std::string channels = kChannel + ", " + kChannel + ", " + kChannel + ", " + kChannel;
  std::string body = "%y, %rm, %rv, %m, %s = onnx.BatchNormInternal %0, %2, %3, %4, %4 {momentum = "
                     "7.5e-1 : f32} : (" +
                     kImage + ", " + channels + ") -> (" + kImage + ", " + channels +
                     ")\n%dx, %ds, %db = onnx.BatchNormalizationGrad %1, %0, %2, %m, %s : (" +
                     kImage + ", " + kImage + ", " + kChannel + ", " + kChannel + ", " + kChannel +
                     ") -> (" + kImage + ", " + kChannel + ", " + kChannel +
                     ")\nreturn %dx, %ds, %db, %rm, %rv : " + kImage + ", " + channels;
  auto results = run({kImage, kImage, kChannel, kChannel, kChannel}, {x, dy, scale, shift, old},
                     {kImage, kChannel, kChannel, kChannel, kChannel}, {60, 3, 3, 3, 3}, body);
  ASSERT_EQ(results.size(), 5u);
  Statistics s = statisticsOf(x, dy, 1e-5f);
  for (int c = 0; c < kC; ++c) {
    EXPECT_NEAR(results[1][c], s.covariance[c] * kN * kS, 1e-4);
    EXPECT_NEAR(results[2][c], s.meanDy[c] * kN * kS, 1e-4);
    EXPECT_NEAR(results[3][c], 0.75 * 0.5 + 0.25 * s.mean[c], 1e-5);
    EXPECT_NEAR(results[4][c], 0.75 * 0.5 + 0.25 * s.variance[c], 1e-5);
  }
  for (size_t i = 0; i < x.size(); ++i) {
    Values above = x, below = x;
    above[i] += 1e-2f;
    below[i] -= 1e-2f;
    double slope = (weightedNorm(above, scale, shift, dy) - weightedNorm(below, scale, shift, dy)) /
                   (above[i] - below[i]);
    EXPECT_NEAR(results[0][i], slope, 2e-2) << "element " << i;
  }
}

/// Convolution with stride, padding and groups by its definition, and its gradients as sums over
/// the same triples.
TEST(GradientOperators, Convolution) {
  const int N = 2, C = 4, O = 6, G = 2, H = 5, K = 3, S = 2, P = 1, R = 3;
  Values dy = numbers(N * O * R * R, 1), x = numbers(N * C * H * H, 2),
         w = numbers(O * (C / G) * K * K, 3);
  Values dx(x.size()), dw(w.size()), db(O);
  for (int n = 0; n < N; ++n)
    for (int o = 0; o < O; ++o)
      for (int r = 0; r < R; ++r)
        for (int q = 0; q < R; ++q) {
          float g = dy[((n * O + o) * R + r) * R + q];
          db[o] += g;
          for (int c = 0; c < C / G; ++c)
            for (int i = 0; i < K; ++i)
              for (int j = 0; j < K; ++j) {
                int a = r * S - P + i, b = q * S - P + j, channel = o / (O / G) * (C / G) + c;
                if (a < 0 || b < 0 || a >= H || b >= H)
                  continue;
                int atX = ((n * C + channel) * H + a) * H + b,
                    atW = ((o * (C / G) + c) * K + i) * K + j;
                dx[atX] += g * w[atW];
                dw[atW] += g * x[atX];
              }
        }
  std::string body =
      R"(%dx, %dw, %db = onnx.ConvGrad %0, %1, %2 {group = 2 : i64, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>}
      : (tensor<2x6x3x3xf32>, tensor<2x4x5x5xf32>, tensor<6x2x3x3xf32>) -> (tensor<2x4x5x5xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>)
    return %dx, %dw, %db : tensor<2x4x5x5xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>)";
  auto results = run({"tensor<2x6x3x3xf32>", "tensor<2x4x5x5xf32>", "tensor<6x2x3x3xf32>"},
                     {dy, x, w}, {"tensor<2x4x5x5xf32>", "tensor<6x2x3x3xf32>", "tensor<6xf32>"},
                     {dx.size(), dw.size(), db.size()}, body);
  ASSERT_EQ(results.size(), 3u);
  expectClose(results[0], dx);
  expectClose(results[1], dw);
  expectClose(results[2], db);
}

TEST(GradientOperators, Pooling) {
  Values x{1, 5, 2, 0, 3, 4, 4, 1, 7, 0, 0, 0, 2, 2, 2, 8}, dy{1, 2, 3, 4};
  auto body = [](std::string op) {
    return "%r = onnx." + op +
           " %0, %1 {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : "
           "(tensor<1x1x2x2xf32>, tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32>\nreturn %r : "
           "tensor<1x1x4x4xf32>";
  };
  std::vector<std::string> types{"tensor<1x1x2x2xf32>", "tensor<1x1x4x4xf32>"};
  expectClose(runOne(types, {dy, x}, types[1], 16, body("MaxPoolGrad")),
              {0, 1, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4});
  expectClose(
      runOne(types, {dy, x}, types[1], 16, body("AveragePoolGrad")),
      {0.25f, 0.25f, 0.5f, 0.5f, 0.25f, 0.25f, 0.5f, 0.5f, 0.75f, 0.75f, 1, 1, 0.75f, 0.75f, 1, 1});
}

TEST(GradientOperators, Dropout) {
  std::string body = R"(
    %r = onnx.Constant dense<2.5e-1> : tensor<f32>
    %t = onnx.Constant dense<true> : tensor<i1>
    %y, %mask = onnx.Dropout %0 ratio %r training %t : (tensor<1000xf32>, tensor<f32>, tensor<i1>) -> (tensor<1000xf32>, tensor<1000xi1>)
    %dx = onnx.DropoutGrad %1, %mask ratio %r training %t : (tensor<1000xf32>, tensor<1000xi1>, tensor<f32>, tensor<i1>) -> tensor<1000xf32>
    %same = onnx.DropoutGrad %1, %mask ratio %r : (tensor<1000xf32>, tensor<1000xi1>, tensor<f32>) -> tensor<1000xf32>
    return %y, %dx, %same : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>)";
  Values x(1000, 3.0f), dy(1000, 6.0f);
  auto results =
      run({"tensor<1000xf32>", "tensor<1000xf32>"}, {x, dy},
          {"tensor<1000xf32>", "tensor<1000xf32>", "tensor<1000xf32>"}, {1000, 1000, 1000}, body);
  ASSERT_EQ(results.size(), 3u);
  int kept = 0;
  for (int i = 0; i < 1000; ++i) {
    bool isKept = results[0][i] != 0;
    kept += isKept;
    ASSERT_FLOAT_EQ(results[0][i], isKept ? 4.0f : 0.0f);
    ASSERT_FLOAT_EQ(results[1][i], isKept ? 8.0f : 0.0f);
  }
  EXPECT_NEAR(kept, 750, 60);
  expectClose(results[2], dy);
}

} // namespace
