// A small program with a table, divided between workers and servers, for tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_LIB_EXECUTION_SERVEDPROGRAM_H
#define TUTTI_TEST_LIB_EXECUTION_SERVEDPROGRAM_H

#include "passes/distribution/Passes.h"
#include "runtime/servers/Table.h"
#include "test/lib/execution/TextProgram.h"

#include <gtest/gtest.h>
#include <random>

namespace tutti::test {

constexpr int64_t kRows = 300, kWidth = 5, kBatch = 7;

/// Looks rows of w up at two places, and trains their product to be y. OPTIMIZER updates w by %g;
/// states, each of type `stateType`, come and go by STATES.
inline std::string programWith(const std::string &update, const std::vector<std::string> &states,
                               const std::string &stateType = "tensor<300x5xf32>") {
  std::string held, initial, values, types, names;
  for (const std::string &state : states) {
    std::string role = " {train.variable = #train.variable<\"" + state + "\", state>}";
    held += ", %" + state + ": " + stateType + role;
    types += ", " + stateType + role;
    values += "    %" + state + " = arith.constant dense<0.0> : " + stateType + "\n";
    initial += ", %" + state;
    names += ", " + stateType;
  }
  std::string results;
  for (size_t i = 0; i < states.size(); ++i)
    results += ", %n#" + std::to_string(i + 1);
  std::string first = states.empty() ? "%n" : "%n#0";
  return R"(
module attributes {train.program} {
  train.dataset @data {global_batch = 7 : i64}
  func.func @initialize() -> (tensor<300x5xf32> {train.variable = #train.variable<"w", trainable>})" +
         types + R"() {
    %w = arith.constant dense<0.25> : tensor<300x5xf32>
)" + values +
         "    return %w" + initial + " : tensor<300x5xf32>" + names + R"(
  }
  func.func @step(%w: tensor<300x5xf32> {train.variable = #train.variable<"w", trainable>})" +
         held + R"(,
      %i: tensor<?xi64> {train.input = #train.input<"i", @data>},
      %j: tensor<?x2xi64> {train.input = #train.input<"j", @data>},
      %y: tensor<?x5xf32> {train.input = #train.input<"y", @data>},
      %lr: tensor<f32> {train.hyperparameter = #train.hyperparameter<"rate", 0.125 : f64>})
      -> (tensor<300x5xf32> {train.variable = #train.variable<"w", trainable>})" +
         types + R"(, tensor<f32> {train.metric = "loss"}) {
    %a = onnx.Gather %w, %i : (tensor<300x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>
    %bb = onnx.Gather %w, %j : (tensor<300x5xf32>, tensor<?x2xi64>) -> tensor<?x2x5xf32>
    %b = onnx.ReduceSum %bb {axes = array<i64: 1>, keepdims = 0 : i64} : (tensor<?x2x5xf32>) -> tensor<?x5xf32>
    %p = onnx.Mul %a, %b : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %d = onnx.Sub %p, %y : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %s = onnx.Mul %d, %d : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %loss = onnx.ReduceSum %s {keepdims = 0 : i64} : (tensor<?x5xf32>) -> tensor<f32>
    %da = onnx.Mul %d, %b : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    %g = train.scatter_rows %i, %da : tensor<?xi64>, tensor<?x5xf32> -> tensor<300x5xf32>
    %h = train.scale %g by %lr : tensor<300x5xf32>, tensor<f32>
)" + update +
         "    return " + first + results + ", %loss : tensor<300x5xf32>" + names +
         ", tensor<f32>\n  }\n}\n";
}

/// What one step is fed.
struct Batch {
  Buffer<int64_t> i{kBatch}, j{2 * kBatch};
  Buffer<float> y{kBatch * kWidth}, rate{1}, loss{1};

  explicit Batch(unsigned seed) {
    std::mt19937 random(seed);
    for (size_t k = 0; k < i.size(); ++k)
      i[k] = int64_t(random() % (kRows / 10)) - (k % 2 ? kRows : 0); // some from the end, and twice
    for (size_t k = 0; k < j.size(); ++k)
      j[k] = random() % kRows;
    for (size_t k = 0; k < y.size(); ++k)
      y[k] = float(random() % 1000) / 500;
    rate[0] = 0.125;
  }
  void run(test::LoadedProgram &program) {
    llvm::Error error = program.step({i.data(), j.data(), y.data(), rate.data()}, {loss.data()});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
};

/// A program whose table w is served, and the table.
class Served {
public:
  /// `lazy` and `workers` as distribute-parameter-server and servers::Table take them. With a
  /// `staleness`, also -1, the table is asynchronous, after `warmUp` common steps. Rows travel as
  /// `wire`.
  Served(Compiler &compiler, const std::string &text, bool lazy, int64_t workers = 1,
         std::optional<int64_t> staleness = std::nullopt,
         distribution::TableWire wire = distribution::TableWire::None, int64_t warmUp = 0);

  /// Row `index` as it is before step `step`.
  std::vector<float> row(int64_t step, int64_t index) {
    std::vector<float> values(kWidth);
    auto error = table->pull(step, &index, 1, reinterpret_cast<char *>(values.data()), 10);
    EXPECT_FALSE(bool(error)) << error.message;
    return values;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<execution::CompiledProgram> forWorkers, forServers;
  runtime::worker::Manifest manifest;
  std::vector<float> first;
  std::unique_ptr<runtime::servers::Table> table;
};

struct Optimizer {
  const char *name, *update;
  std::vector<std::string> states;
  const char *stateType = "tensor<300x5xf32>";
};

inline const Optimizer kOptimizers[] = {
    {"sgd", "    %n = train.sgd %w gradient %h rate %lr : tensor<300x5xf32>, tensor<f32>\n", {}},
    {"adagrad",
     "    %n:2 = train.adagrad %w gradient %h accumulator %sum rate %lr : tensor<300x5xf32>, "
     "tensor<f32>\n",
     {"sum"}},
    {"rowwise_adagrad",
     "    %n:2 = train.rowwise_adagrad %w gradient %h accumulator %sum rate %lr : "
     "tensor<300x5xf32>, tensor<300xf32>, tensor<f32>\n",
     {"sum"},
     "tensor<300xf32>"}};

/// An asynchronous table of two workers, and what they push.
struct Asynchronous {
  explicit Asynchronous(int64_t staleness = -1, int64_t warmUp = 0, int64_t workers = 2)
      : served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, workers, staleness,
               distribution::TableWire::None, warmUp) {
    float rate = 1;
    std::memcpy(&scalars[0], &rate, sizeof rate);
    std::memcpy(&scalars[1], &rate, sizeof rate);
  }

  std::string push(int64_t worker, int64_t step, double seconds = 0) {
    std::vector<float> ones(kWidth, 1);
    return served.table
        ->push(worker, step, &row, 1, reinterpret_cast<char *>(ones.data()),
               {reinterpret_cast<char *>(scalars), sizeof scalars}, seconds)
        .message;
  }
  std::string pull(int64_t step,
                   runtime::servers::Table::Due due = runtime::servers::Table::Due::in_turn) {
    char *out = reinterpret_cast<char *>(values.data());
    return served.table->pull(step, &row, 1, out, /*seconds=*/0.05, /*states=*/false, due).message;
  }

  Compiler compiler;
  Served served;
  int64_t row = 5;
  double scalars[2] = {};
  std::vector<float> values = std::vector<float>(kWidth);
};

} // namespace tutti::test

#endif // TUTTI_TEST_LIB_EXECUTION_SERVEDPROGRAM_H
