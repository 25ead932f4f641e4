// Optimizers, run for some steps in place, against their formulas in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "runtime/support/HalfPrecision.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>
#include <functional>

using namespace tutti::test;

using tutti::runtime::BFloat16;
using tutti::runtime::Float16;

namespace {

constexpr int kSize = 21, kSteps = 4;
constexpr double kRate = 0.1;

/// What an optimizer has for one element.
struct Element {
  double x, g, first = 0, second = 0, t = 0;
};

/// A program with variables x, first and second, a counter that counts steps (from `start`), and
/// the gradient as input.
std::string program(const std::string &update, int start) {
  constexpr const char *text = R"(
module attributes {{train.program} {{
  train.dataset @data {{global_batch = 21 : i64}
  func.func @initialize() -> (tensor<21xf32> {{train.variable = #train.variable<"x", trainable>},
      tensor<21xf32> {{train.variable = #train.variable<"m", state>}, tensor<21xf32> {{train.variable = #train.variable<"v", state>},
      tensor<i64> {{train.variable = #train.variable<"t", state>}) {{
    %x = onnx.Constant dense<5.0e-1> : tensor<21xf32>
    %z = onnx.Constant dense<0.0> : tensor<21xf32>
    %t = onnx.Constant dense<{1}> : tensor<i64>
    return %x, %z, %z, %t : tensor<21xf32>, tensor<21xf32>, tensor<21xf32>, tensor<i64>
  }
  func.func @step(%x: tensor<21xf32> {{train.variable = #train.variable<"x", trainable>},
      %m: tensor<21xf32> {{train.variable = #train.variable<"m", state>}, %v: tensor<21xf32> {{train.variable = #train.variable<"v", state>},
      %t: tensor<i64> {{train.variable = #train.variable<"t", state>}, %g: tensor<?xf32> {{train.input = #train.input<"g", @data>},
      %lr: tensor<f32> {{train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
   -> (tensor<21xf32> {{train.variable = #train.variable<"x", trainable>},
      tensor<21xf32> {{train.variable = #train.variable<"m", state>}, tensor<21xf32> {{train.variable = #train.variable<"v", state>},
      tensor<i64> {{train.variable = #train.variable<"t", state>}) {{
    %gs = tensor.cast %g : tensor<?xf32> to tensor<21xf32>
    %one = onnx.Constant dense<1> : tensor<i64>
    %next = onnx.Add %t, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    {0}
    return %nx, %nm, %nv, %next : tensor<21xf32>, tensor<21xf32>, tensor<21xf32>, tensor<i64>
  }
})";
  return llvm::formatv(text, update, start).str();
}

/// A type of variables: how it is stored, and how far rounding may lead in a few steps.
struct Single {
  static constexpr const char *name = "f32";
  static constexpr double tolerance = 1e-5;
  static double load(float value) { return value; }
  static float store(float value) { return value; }
};
struct Double {
  static constexpr const char *name = "f64";
  static constexpr double tolerance = 5e-6; // 1 - beta of attributes of f32
  static double load(double value) { return value; }
  static double store(float value) { return value; }
};
struct Half {
  static constexpr const char *name = "f16";
  static constexpr double tolerance = 6e-3;
  static double load(Float16 value) { return value.load(); }
  static Float16 store(float value) { return Float16::store(value); }
};
struct Brain {
  static constexpr const char *name = "bf16";
  static constexpr double tolerance = 5e-2;
  static double load(BFloat16 value) { return value.load(); }
  static BFloat16 store(float value) { return BFloat16::store(value); }
};

template <typename Type>
void compareAs(const std::string &update, int start, std::function<void(Element &)> formula) {
  using Stored = decltype(Type::store(0));
  SCOPED_TRACE(Type::name);
  Compiler compiler;
  std::string text = program(update, start);
  for (std::string from : {"21xf32", "?xf32"})
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at + from.size() - 3, 3, Type::name);
  auto compiled = compiler.run(text);
  ASSERT_TRUE(compiled);
  auto variable = [&](int64_t index, int i) {
    return Type::load(static_cast<Stored *>(compiled->variable(index))[i]);
  };
  std::vector<Element> elements(kSize, Element{0.5, 0});
  Buffer<float> rate(std::vector<float>{float(kRate)});
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Stored> stored;
    for (float number : numbers(kSize, step + 1))
      stored.push_back(Type::store(number));
    Buffer<Stored> gradient(stored);
    llvm::Error error = compiled->step({gradient.data(), rate.data()}, {});
    ASSERT_FALSE(error) << llvm::toString(std::move(error));
    for (int i = 0; i < kSize; ++i) {
      elements[i].g = Type::load(gradient[i]);
      elements[i].t = start + step;
      formula(elements[i]);
      ASSERT_NEAR(variable(0, i), elements[i].x, Type::tolerance)
          << "step " << step << ", element " << i;
      ASSERT_NEAR(variable(1, i), elements[i].first, Type::tolerance);
      ASSERT_NEAR(variable(2, i), elements[i].second, Type::tolerance);
    }
  }
  EXPECT_EQ(*static_cast<int64_t *>(compiled->variable(3)), start + kSteps);
}

/// Runs `update` and the formula side by side, in each type of variables.
void compare(const std::string &update, int start, std::function<void(Element &)> formula) {
  compareAs<Single>(update, start, formula);
  compareAs<Double>(update, start, formula);
  compareAs<Half>(update, start, formula);
  compareAs<Brain>(update, start, formula);
}

const std::string kTypes = " : tensor<21xf32>, tensor<f32>\n";
const std::string kNoFirst = "%nm = onnx.Identity %m : (tensor<21xf32>) -> tensor<21xf32>\n";
const std::string kNoSecond = "%nv = onnx.Identity %v : (tensor<21xf32>) -> tensor<21xf32>\n";

TEST(Optimizers, Sgd) {
  compare("%nx = train.sgd %x gradient %gs rate %lr {norm_coefficient = 1.0e-2 : f32}" + kTypes +
              kNoFirst + kNoSecond,
          0, [](Element &e) { e.x -= kRate * (e.g + 0.01 * e.x); });
}

TEST(Optimizers, MomentumWhoseFirstStepIsUndamped) {
  compare("%nx, %nm = train.momentum %x gradient %gs velocity %m rate %lr step %t {alpha = 9.0e-1 "
          ": f32, beta = 5.0e-1 : f32}" +
              kTypes + kNoSecond,
          0, [](Element &e) {
            e.first = 0.9 * e.first + (e.t > 0 ? 0.5 : 1) * e.g;
            e.x -= kRate * e.first;
          });
}

TEST(Optimizers, NesterovMomentum) {
  compare("%nx, %nm = train.momentum %x gradient %gs velocity %m rate %lr {alpha = 9.0e-1 : f32, "
          "mode = 1 : i32}" +
              kTypes + kNoSecond,
          0, [](Element &e) {
            e.first = 0.9 * e.first + e.g;
            e.x -= kRate * (e.g + 0.9 * e.first);
          });
}

TEST(Optimizers, AdagradWithDecay) {
  compare("%nx, %nm = train.adagrad %x gradient %gs accumulator %m rate %lr step %t {decay_factor "
          "= 2.0e-1 : f32}" +
              kTypes + kNoSecond,
          0, [](Element &e) {
            e.first += e.g * e.g;
            e.x -= kRate / (1 + e.t * 0.2) * e.g / (std::sqrt(e.first) + 1e-6);
          });
}

/// A table of 5 rows of 3 x 2 elements, and one number of each row.
template <typename Type> void compareRows() {
  using Stored = decltype(Type::store(0));
  SCOPED_TRACE(Type::name);
  constexpr int rows = 5, width = 6;
  constexpr const char *text = R"(
module attributes {{train.program} {{
  train.dataset @data {{global_batch = 5 : i64}
  func.func @initialize() -> (tensor<5x3x2x{0}> {{train.variable = #train.variable<"x", trainable>},
      tensor<5x{0}> {{train.variable = #train.variable<"m", state>}) {{
    %x = onnx.Constant dense<5.0e-1> : tensor<5x3x2x{0}>
    %z = onnx.Constant dense<0.0> : tensor<5x{0}>
    return %x, %z : tensor<5x3x2x{0}>, tensor<5x{0}>
  }
  func.func @step(%x: tensor<5x3x2x{0}> {{train.variable = #train.variable<"x", trainable>},
      %m: tensor<5x{0}> {{train.variable = #train.variable<"m", state>},
      %g: tensor<?x3x2x{0}> {{train.input = #train.input<"g", @data>},
      %lr: tensor<f32> {{train.hyperparameter = #train.hyperparameter<"learning_rate", 1.0e-1 : f64>})
   -> (tensor<5x3x2x{0}> {{train.variable = #train.variable<"x", trainable>},
      tensor<5x{0}> {{train.variable = #train.variable<"m", state>}) {{
    %gs = tensor.cast %g : tensor<?x3x2x{0}> to tensor<5x3x2x{0}>
    %nx, %nm = train.rowwise_adagrad %x gradient %gs accumulator %m rate %lr
      {{epsilon = 1.0e-3 : f32, norm_coefficient = 1.0e-1 : f32} : tensor<5x3x2x{0}>, tensor<5x{0}>, tensor<f32>
    return %nx, %nm : tensor<5x3x2x{0}>, tensor<5x{0}>
  }
})";
  Compiler compiler;
  auto compiled = compiler.run(llvm::formatv(text, Type::name).str());
  ASSERT_TRUE(compiled);
  std::vector<double> x(rows * width, 0.5), sums(rows, 0);
  Buffer<float> rate(std::vector<float>{float(kRate)});
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Stored> stored;
    for (float number : numbers(rows * width, step + 1))
      stored.push_back(Type::store(number));
    Buffer<Stored> gradient(stored);
    llvm::Error error = compiled->step({gradient.data(), rate.data()}, {});
    ASSERT_FALSE(error) << llvm::toString(std::move(error));
    auto *table = static_cast<Stored *>(compiled->variable(0));
    auto *kept = static_cast<Stored *>(compiled->variable(1));
    for (int row = 0; row < rows; ++row) {
      double squares = 0;
      auto move = [&](int i) { return Type::load(gradient[i]) + 0.1 * x[i]; };
      for (int i = row * width; i < (row + 1) * width; ++i)
        squares += move(i) * move(i);
      sums[row] += squares / width;
      ASSERT_NEAR(Type::load(kept[row]), sums[row], Type::tolerance) << "step " << step;
      for (int i = row * width; i < (row + 1) * width; ++i) {
        x[i] -= kRate * move(i) / (std::sqrt(sums[row]) + 1e-3);
        ASSERT_NEAR(Type::load(table[i]), x[i], Type::tolerance) << "step " << step;
      }
    }
  }
}

TEST(Optimizers, RowwiseAdagrad) {
  compareRows<Single>();
  compareRows<Double>();
  compareRows<Half>();
  compareRows<Brain>();
}

TEST(Optimizers, AdamOfPyTorch) {
  compare("%nx, %nm, %nv = train.adam %x gradient %gs moments %m, %v rate %lr step %t" + kTypes, 1,
          [](Element &e) {
            e.first = 0.9 * e.first + 0.1 * e.g;
            e.second = 0.999 * e.second + 0.001 * e.g * e.g;
            double a = 1 - std::pow(0.9, e.t), b = 1 - std::pow(0.999, e.t);
            e.x -= kRate * (e.first / a) / (std::sqrt(e.second / b) + 1e-8);
          });
}

/// As ai.onnx.preview.training has it; its first step (T = 0) has no correction.
TEST(Optimizers, AdamOfOnnx) {
  compare("%nx, %nm, %nv = train.adam %x gradient %gs moments %m, %v rate %lr step %t "
          "{epsilon_before_correction, epsilon = 1.0e-3 : f32, "
          "norm_coefficient = 1.0e-2 : f32, norm_coefficient_post = 5.0e-3 : f32}" +
              kTypes,
          0, [](Element &e) {
            double g = e.g + 0.01 * e.x;
            e.first = 0.9 * e.first + 0.1 * g;
            e.second = 0.999 * e.second + 0.001 * g * g;
            double rate =
                e.t > 0 ? kRate * std::sqrt(1 - std::pow(0.999, e.t)) / (1 - std::pow(0.9, e.t))
                        : kRate;
            e.x = (e.x - rate * e.first / (std::sqrt(e.second) + 1e-3)) * (1 - 0.005);
          });
}

TEST(Optimizers, AdamW) {
  compare("%nx, %nm, %nv = train.adamw %x gradient %gs moments %m, %v rate %lr step %t "
          "{weight_decay = 1.0e-1 : f32}" +
              kTypes,
          1, [](Element &e) {
            e.x *= 1 - kRate * 0.1;
            e.first = 0.9 * e.first + 0.1 * e.g;
            e.second = 0.999 * e.second + 0.001 * e.g * e.g;
            double a = 1 - std::pow(0.9, e.t), b = 1 - std::pow(0.999, e.t);
            e.x -= kRate * (e.first / a) / (std::sqrt(e.second / b) + 1e-8);
          });
}

TEST(Optimizers, NAdam) {
  compare("%nx, %nm, %nv = train.nadam %x gradient %gs moments %m, %v rate %lr step %t "
          "{momentum_decay = 1.0e-1 : f32, norm_coefficient = 1.0e-2 : f32}" +
              kTypes,
          1, [](Element &e) {
            double g = e.g + 0.01 * e.x;
            e.first = 0.9 * e.first + 0.1 * g;
            e.second = 0.999 * e.second + 0.001 * g * g;
            auto momentum = [](double t) { return 0.9 * (1 - 0.5 * std::pow(0.96, 0.1 * t)); };
            double all = 1, next = momentum(e.t + 1);
            for (double t = 1; t <= e.t; ++t)
              all *= momentum(t);
            double size = std::sqrt(e.second / (1 - std::pow(0.999, e.t))) + 1e-8;
            e.x -= kRate *
                   ((1 - momentum(e.t)) / (1 - all) * g + next / (1 - all * next) * e.first) / size;
          });
}

/// Once the product of all momenta is nothing beside 1, it is not computed to its end.
TEST(Optimizers, NAdamAfterManySteps) {
  compare("%nx, %nm, %nv = train.nadam %x gradient %gs moments %m, %v rate %lr step %t "
          "{epsilon = 1.0e-1 : f32}" +
              kTypes,
          1000000, [](Element &e) {
            e.first = 0.9 * e.first + 0.1 * e.g;
            e.second = 0.999 * e.second + 0.001 * e.g * e.g;
            e.x -= kRate * (0.1 * e.g + 0.9 * e.first) / (std::sqrt(e.second) + 1e-1);
          });
}

TEST(Optimizers, Rmsprop) {
  compare("%nx, %nm = train.rmsprop %x gradient %gs average %m rate %lr "
          "{alpha = 9.0e-1 : f32, epsilon = 1.0e-2 : f32, norm_coefficient = 1.0e-2 : f32}" +
              kTypes + kNoSecond,
          0, [](Element &e) {
            double g = e.g + 0.01 * e.x;
            e.first = 0.9 * e.first + 0.1 * g * g;
            e.x -= kRate * g / (std::sqrt(e.first) + 1e-2);
          });
}

TEST(Optimizers, RmspropWithMomentum) {
  compare("%nx, %nm, %nv = train.rmsprop_momentum %x gradient %gs average %m velocity %v rate %lr "
          "{momentum = 5.0e-1 : f32, alpha = 9.0e-1 : f32, epsilon = 1.0e-1 : f32}" +
              kTypes,
          0, [](Element &e) {
            e.first = 0.9 * e.first + 0.1 * e.g * e.g;
            e.second = 0.5 * e.second + e.g / (std::sqrt(e.first) + 1e-1);
            e.x -= kRate * e.second;
          });
}

TEST(Optimizers, Lion) {
  compare("%nx, %nm = train.lion %x gradient %gs moment %m rate %lr {weight_decay = 1.0e-1 : f32}" +
              kTypes + kNoSecond,
          0, [](Element &e) {
            double move = 0.9 * e.first + 0.1 * e.g;
            e.x -= kRate * ((move > 0) - (move < 0) + 0.1 * e.x);
            e.first = 0.99 * e.first + 0.01 * e.g;
          });
}

/// As Hugging Face has it, and ONNX Runtime's mode 1.
TEST(Optimizers, AdamWWithDecayLast) {
  compare("%nx, %nm, %nv = train.adamw %x gradient %gs moments %m, %v rate %lr step %t "
          "{weight_decay = 1.0e-1 : f32, epsilon = 1.0e-3 : f32, decay_last, "
          "epsilon_before_correction}" +
              kTypes,
          1, [](Element &e) {
            e.first = 0.9 * e.first + 0.1 * e.g;
            e.second = 0.999 * e.second + 0.001 * e.g * e.g;
            double a = 1 - std::pow(0.9, e.t), b = 1 - std::pow(0.999, e.t);
            e.x -= kRate * std::sqrt(b) / a * e.first / (std::sqrt(e.second) + 1e-3);
            e.x *= 1 - kRate * 0.1;
          });
}

} // namespace
