// Compares the gradients of every differentiable operator with central differences of the operator
// itself: both are compiled and run. Each function of a file in cases/ is one test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/equivalence/gradients/GradientCase.h"

#include "dialects/interfaces/Differentiable.h"
#include "dialects/onnx/Onnx.h"
#include "lib/execution/Compile.h"
#include "lib/execution/Load.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/Passes.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

using namespace mlir;
using namespace tutti;
using namespace tutti::test;
using execution::LoadedProgram;

using execution::ProgramFile;

namespace {

/// How far an argument is moved in both directions. Large enough for the rounding of f32, small
/// enough for functions that bend, and below half of what "spread" arguments are apart.
constexpr float kDistance = 1e-2f;
/// What both errors together may make of a gradient of size 1.
constexpr double kTolerance = 4e-3;

bool isNear(double numeric, double analytic) {
  return std::abs(numeric - analytic) <= kTolerance * (1 + std::abs(analytic));
}

/// Memory as compiled code wants it.
class Buffer {
public:
  explicit Buffer(size_t bytes) : storage(bytes + 64) {}
  void *data() {
    auto address = reinterpret_cast<uintptr_t>(storage.data());
    return reinterpret_cast<void *>((address + 63) / 64 * 64);
  }

private:
  std::vector<char> storage;
};

/// A compiled case.
class CompiledCase {
public:
  CompiledCase(GradientCase &gradientCase, std::shared_ptr<const ProgramFile> file)
      : gradientCase(gradientCase), file(std::move(file)) {}

  /// The results of the function, then the gradients. Each run is the first step of a program of
  /// its own, so that what is random is the same in all of them.
  std::vector<std::vector<float>> run() {
    auto program = LoadedProgram::load(file->path());
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return {};
    }
    for (auto [i, tensor] : llvm::enumerate(gradientCase.variables()))
      std::memcpy((*program)->variable(i), tensor->data(), bytesOf(*tensor));
    std::vector<Buffer> inputs, outputs;
    for (Tensor *tensor : gradientCase.inputs())
      std::memcpy(inputs.emplace_back(bytesOf(*tensor)).data(), tensor->data(), bytesOf(*tensor));
    std::vector<size_t> sizes = outputSizes();
    for (size_t size : sizes)
      outputs.emplace_back(size * sizeof(float));
    if (llvm::Error error = (*program)->step(addresses(inputs), addresses(outputs))) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return {};
    }
    std::vector<std::vector<float>> values;
    for (auto [buffer, size] : llvm::zip_equal(outputs, sizes)) {
      auto *first = static_cast<float *>(buffer.data());
      values.emplace_back(first, first + size);
    }
    return values;
  }

  /// The value that is differentiated, summed in f64 so that only the operator itself rounds.
  double value() {
    double total = 0;
    std::vector<std::vector<float>> results = run();
    for (size_t i = 0; i < gradientCase.weights.size() && i < results.size(); ++i)
      for (auto [result, weight] : llvm::zip_equal(results[i], gradientCase.weights[i].values))
        total += static_cast<double>(result) * weight;
    return total;
  }

private:
  static size_t bytesOf(const Tensor &tensor) {
    return tensor.size() * (tensor.values.empty() ? sizeof(int64_t) : sizeof(float));
  }

  std::vector<size_t> outputSizes() const {
    std::vector<size_t> sizes;
    for (const Tensor &weight : gradientCase.weights)
      sizes.push_back(weight.size());
    for (const Tensor &argument : gradientCase.arguments)
      if (argument.isDifferentiated)
        sizes.push_back(argument.size());
    return sizes;
  }

  static std::vector<void *> addresses(std::vector<Buffer> &buffers) {
    std::vector<void *> result;
    for (Buffer &buffer : buffers)
      result.push_back(buffer.data());
    return result;
  }

  GradientCase &gradientCase;
  std::shared_ptr<const ProgramFile> file;
};

llvm::Expected<std::shared_ptr<const ProgramFile>> compile(ModuleOp module, StringRef name) {
  PassManager passes(module.getContext());
  passes.addNestedPass<func::FuncOp>(gradient::createExpandGradientsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  if (failed(passes.run(module)))
    return llvm::createStringError("the gradient cannot be expanded");
  execution::CompileRequest request;
  request.module = module;
  request.name = name.str();
  request.pipelines.specialize = [](OpPassManager &manager) {
    compile::buildSpecializePipeline(manager, {});
  };
  request.pipelines.lower = [](OpPassManager &manager) {
    compile::buildLoweringPipeline(manager, {});
  };
  request.optimization = 1;
  request.cacheDirectory = testing::TempDir() + "/tutti-gradients";
  auto compiled = execution::compileProgram(request);
  if (!compiled)
    return compiled.takeError();
  return compiled->file;
}

/// Compares each element of each gradient.
void checkGradients(GradientCase &gradientCase, CompiledCase &compiled) {
  std::vector<std::vector<float>> results = compiled.run();
  size_t next = gradientCase.weights.size();
  for (auto [number, argument] : llvm::enumerate(gradientCase.arguments)) {
    if (!argument.isDifferentiated)
      continue;
    ASSERT_LT(next, results.size());
    const std::vector<float> &gradients = results[next++];
    for (size_t i = 0; i < argument.size(); ++i) {
      float center = argument.values[i];
      argument.values[i] = center + kDistance;
      double above = compiled.value();
      argument.values[i] = center - kDistance;
      double below = compiled.value();
      argument.values[i] = center;
      double numeric =
          (above - below) / (static_cast<double>(center + kDistance) - (center - kDistance));
      EXPECT_TRUE(isNear(numeric, gradients[i]))
          << "argument " << number << ", element " << i << ": the gradient is " << gradients[i]
          << ", but finite differences give " << numeric;
    }
  }
}

class FiniteDifferences : public testing::Test {
public:
  explicit FiniteDifferences(func::FuncOp function) : gradientCase(function) {}

  void TestBody() override {
    OwningOpRef<ModuleOp> program = gradientCase.buildProgram();
    auto path = compile(*program, gradientCase.function.getName());
    ASSERT_TRUE(static_cast<bool>(path)) << llvm::toString(path.takeError());
    CompiledCase compiled(gradientCase, *path);
    checkGradients(gradientCase, compiled);
  }

private:
  GradientCase gradientCase;
};

/// All files of cases, parsed.
class Cases {
public:
  explicit Cases(MLIRContext &context) {
    std::error_code error;
    std::vector<std::string> paths;
    for (llvm::sys::fs::directory_iterator file(TUTTI_GRADIENT_CASES, error), end;
         file != end && !error; file.increment(error))
      if (StringRef(file->path()).ends_with(".mlir"))
        paths.push_back(file->path());
    llvm::sort(paths);
    for (const std::string &path : paths)
      files.emplace_back(llvm::sys::path::stem(path).str(),
                         parseSourceFile<ModuleOp>(path, ParserConfig(&context)));
  }

  /// Registers one test per function. False if a file cannot be read.
  bool registerTests() {
    for (auto &[name, module] : files) {
      if (!module)
        return false;
      for (func::FuncOp function : module->getOps<func::FuncOp>())
        testing::RegisterTest(
            ("Gradients_" + name).c_str(), function.getName().str().c_str(), nullptr, nullptr,
            __FILE__, __LINE__,
            [function]() -> testing::Test * { return new FiniteDifferences(function); });
    }
    return !files.empty();
  }

  /// The names of all operations in all cases.
  std::set<std::string> operations() {
    std::set<std::string> names;
    for (auto &[name, module] : files)
      module->walk([&](Operation *op) { names.insert(op->getName().getStringRef().str()); });
    return names;
  }

private:
  std::vector<std::pair<std::string, OwningOpRef<ModuleOp>>> files;
};

Cases *cases = nullptr;
MLIRContext *sharedContext = nullptr;

// Whoever adds a gradient adds a case.
TEST(GradientHarness, EveryDifferentiableOperatorHasACase) {
  std::set<std::string> covered = cases->operations();
  for (RegisteredOperationName op : sharedContext->getRegisteredOperations()) {
    bool isDifferentiable =
        op.getDialectNamespace() == "onnx" && op.hasInterface<DifferentiableOpInterface>();
    EXPECT_TRUE(!isDifferentiable || covered.count(op.getStringRef().str()))
        << op.getStringRef().str()
        << " has a gradient but no function in test/equivalence/gradients/cases";
  }
}

TEST(GradientHarness, TellsAWrongGradientFromARightOne) {
  EXPECT_TRUE(isNear(1.001, 1.0));
  EXPECT_FALSE(isNear(1.02, 1.0));
  EXPECT_FALSE(isNear(0.0, 0.01));
  EXPECT_FALSE(isNear(std::nan(""), 1.0));
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  DialectRegistry registry;
  registerAllTuttiDialects(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();
  context.loadAllAvailableDialects();
  Cases all(context);
  cases = &all;
  sharedContext = &context;
  if (!all.registerTests()) {
    llvm::errs() << "gradient_tests: no cases, or one that cannot be read, in " TUTTI_GRADIENT_CASES
                    "\n";
    return 1;
  }
  return RUN_ALL_TESTS();
}
