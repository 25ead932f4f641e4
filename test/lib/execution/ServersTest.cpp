// Tables on servers: what workers and servers compute together is what one device computes, bit for
// bit; rows and pushes come as they come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/LocalRows.h"
#include "test/lib/execution/TextProgram.h"

#include "passes/compile/Pipelines.h"
#include "passes/distribution/Passes.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace tutti::execution;
using namespace tutti::test;
namespace servers = tutti::runtime::servers;
namespace worker = tutti::runtime::worker;
using testing::HasSubstr;

namespace {

constexpr int64_t kRows = 300, kWidth = 5, kBatch = 7;

/// Looks rows of w up at two places, and trains their product to be y. OPTIMIZER updates w by %g;
/// states come and go by STATES.
std::string programWith(const std::string &update, const std::vector<std::string> &states) {
  std::string held, initial, values, types, names;
  for (const std::string &state : states) {
    std::string role = " {train.variable = #train.variable<\"" + state + "\", state>}";
    held += ", %" + state + ": tensor<300x5xf32>" + role;
    types += ", tensor<300x5xf32>" + role;
    values += "    %" + state + " = arith.constant dense<0.0> : tensor<300x5xf32>\n";
    initial += ", %" + state;
    names += ", tensor<300x5xf32>";
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
  void run(LoadedProgram &program) {
    llvm::Error error = program.step({i.data(), j.data(), y.data(), rate.data()}, {loss.data()});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
};

/// A program whose table w is served, and the table.
class Served {
public:
  explicit Served(Compiler &compiler, const std::string &text, bool lazy, int64_t workers = 1) {
    module = compiler.parse(text);
    mlir::PassManager passes(&compiler.context());
    tutti::distribution::ParameterServerPassOptions options;
    options.tables = {"w"};
    options.lazy = lazy;
    passes.addPass(tutti::distribution::createParameterServerPass(std::move(options)));
    if (mlir::failed(passes.run(*module)))
      throw std::runtime_error(compiler.diagnostics());
    forWorkers = std::make_unique<CompiledProgram>(
        llvm::cantFail(compileProgram(compiler.request(*module))));
    mlir::OwningOpRef<mlir::ModuleOp> update = module->clone();
    mlir::PassManager server(&compiler.context());
    server.addPass(tutti::specialize::createSpecializeServerPass({"w", /*rows=*/4}));
    if (mlir::failed(server.run(*update)))
      throw std::runtime_error(compiler.diagnostics());
    forServers = std::make_unique<CompiledProgram>(
        llvm::cantFail(compileProgram(compiler.request(*update))));
    manifest = *worker::Manifest::read(forWorkers->path());
    const worker::ServedTable &spec = manifest.tables.at(0);
    first.assign(kRows * kWidth, 0.25f);
    auto rows = servers::FirstRows::make(
        spec, 7, {reinterpret_cast<char *>(first.data()), first.size() * sizeof(float)});
    auto store = servers::RowStore::make(spec, std::move(*rows));
    auto compiled = servers::RowUpdate::load(forServers->path(), spec);
    EXPECT_TRUE(compiled) << compiled.error().message;
    table =
        std::make_unique<servers::Table>(spec, workers, std::move(*store), std::move(*compiled));
  }

  /// Row `index` as it is before step `step`.
  std::vector<float> row(int64_t step, int64_t index) {
    std::vector<float> values(kWidth);
    auto error = table->pull(step, &index, 1, reinterpret_cast<char *>(values.data()), 10);
    EXPECT_FALSE(bool(error)) << error.message;
    return values;
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<CompiledProgram> forWorkers, forServers;
  worker::Manifest manifest;
  std::vector<float> first;
  std::unique_ptr<servers::Table> table;
};

struct Optimizer {
  const char *name, *update;
  std::vector<std::string> states;
};

const Optimizer kOptimizers[] = {
    {"sgd", "    %n = train.sgd %w gradient %h rate %lr : tensor<300x5xf32>, tensor<f32>\n", {}},
    {"adagrad",
     "    %n:2 = train.adagrad %w gradient %h accumulator %sum rate %lr : tensor<300x5xf32>, "
     "tensor<f32>\n",
     {"sum"}}};

class ServedTraining : public testing::TestWithParam<Optimizer> {};

} // namespace

/// One worker and a server against one device, ten steps, in blocks of 4 rows.
TEST_P(ServedTraining, GivesTheBitsOfOneDevice) {
  Compiler compiler;
  std::string text = programWith(GetParam().update, GetParam().states);
  std::unique_ptr<LoadedProgram> alone = compiler.run(text);
  ASSERT_TRUE(alone);
  Served served(compiler, text, /*lazy=*/false);
  auto loaded = LoadedProgram::load(served.forWorkers->path(), /*seed=*/7);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  EXPECT_EQ((*loaded)->variableCount(), 0u); // no part of it is a variable of the worker
  llvm::cantFail((*loaded)->initialize());
  servers::LocalRows rows({served.table.get()}, /*worker=*/0, /*seconds=*/10);
  tutti_context_set_rows((*loaded)->context(), rows.service());
  for (unsigned step = 0; step < 10; ++step) {
    Batch one(step), other(step);
    one.run(*alone);
    other.run(**loaded);
    EXPECT_EQ(one.loss[0], other.loss[0]) << step;
  }
  const float *w = static_cast<float *>(alone->variable(0));
  for (int64_t row = 0; row < kRows; ++row)
    EXPECT_EQ(served.row(10, row), std::vector<float>(w + row * kWidth, w + (row + 1) * kWidth));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, ServedTraining, testing::ValuesIn(kOptimizers),
                         [](const auto &info) { return info.param.name; });

/// Gradients of a row are added in the order of the workers, whoever comes first.
TEST(Servers, TheOrderOfPushesDoesNotMatter) {
  Compiler compiler;
  std::string text = programWith(kOptimizers[0].update, {});
  std::vector<std::vector<float>> results;
  for (std::vector<int64_t> order : {std::vector<int64_t>{0, 1, 2}, {2, 0, 1}, {1, 2, 0}}) {
    Served served(compiler, text, /*lazy=*/false, /*workers=*/3);
    double scalars[] = {0, 0};
    float rate = 1;
    std::memcpy(&scalars[0], &rate, sizeof rate);
    std::memcpy(&scalars[1], &rate, sizeof rate);
    for (int64_t who : order) {
      int64_t rows[] = {3, 299};
      std::vector<float> gradients = numbers(2 * kWidth, unsigned(who) + 1);
      for (float &gradient : gradients)
        gradient *= who == 1 ? 1e6f : 1e-3f; // so that the order of a sum shows
      auto error = served.table->push(who, 0, rows, 2, reinterpret_cast<char *>(gradients.data()),
                                      {reinterpret_cast<char *>(scalars), sizeof scalars});
      ASSERT_FALSE(bool(error)) << error.message;
    }
    EXPECT_EQ(served.table->steps(), 1);
    results.push_back(served.row(1, 3));
    EXPECT_EQ(served.row(1, 4), std::vector<float>(kWidth, 0.25f));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Servers, APullWaitsForTheStepBefore) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/2);
  int64_t row = 5;
  std::vector<float> values(kWidth);
  char *out = reinterpret_cast<char *>(values.data());
  double scalars[2] = {};
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  EXPECT_THAT(served.table->pull(1, &row, 1, out, 0.05).message,
              HasSubstr("was not updated in step 1 for 0.05 seconds: 1 of 2 workers have pushed"));
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  });
  EXPECT_FALSE(bool(served.table->pull(1, &row, 1, out, 10)));
  later.join();
}

TEST(Servers, AMistakeOfAWorkerIsNamed) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false, /*workers=*/2);
  double scalars[2] = {}, others[2] = {1, 1};
  std::string_view packed(reinterpret_cast<char *>(scalars), sizeof scalars);
  std::string_view different(reinterpret_cast<char *>(others), sizeof others);
  int64_t row = kRows;
  EXPECT_THAT(served.table->pull(0, &row, 1, nullptr, 1).message,
              HasSubstr("table 'w' has 300 rows, but row 300 is asked for"));
  EXPECT_THAT(served.table->push(2, 0, nullptr, 0, nullptr, packed).message,
              HasSubstr("there is no worker 2 of 2"));
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  EXPECT_THAT(served.table->push(1, 0, nullptr, 0, nullptr, different).message,
              HasSubstr("workers 0 and 1 push other rates or counters to table 'w' in step 1"));
  // What came before comes again after a lost answer, and counts once.
  ASSERT_FALSE(bool(served.table->push(0, 0, nullptr, 0, nullptr, packed)));
  ASSERT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  ASSERT_FALSE(bool(served.table->push(1, 0, nullptr, 0, nullptr, packed)));
  EXPECT_EQ(served.table->steps(), 1);
}

TEST(Servers, WithoutARowServiceTheStepFails) {
  Compiler compiler;
  Served served(compiler, programWith(kOptimizers[0].update, {}), /*lazy=*/false);
  auto loaded = llvm::cantFail(LoadedProgram::load(served.forWorkers->path()));
  llvm::cantFail(loaded->initialize());
  Batch batch(1);
  llvm::Error error = loaded->step(
      {batch.i.data(), batch.j.data(), batch.y.data(), batch.rate.data()}, {batch.loss.data()});
  EXPECT_THAT(llvm::toString(std::move(error)), HasSubstr("gave the context no row service"));
}
