// Compares the gradients of every differentiable operator with central differences of the operator
// itself: both are compiled and run, in f32 and in f64. Each function of a file in cases/ is one
// test of each type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/equivalence/gradients/GradientCase.h"

#include "dialects/interfaces/Differentiable.h"
#include "dialects/onnx/Onnx.h"
#include "lib/execution/Compile.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/Passes.h"
#include "test/lib/execution/LoadedProgram.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

using namespace mlir;
using namespace tutti;
using namespace tutti::test;
using test::LoadedProgram;

using execution::MemoryFile;

namespace {

/// What a type lets one tell.
struct Accuracy {
  double distance;  ///< how far an argument is moved in both directions: large enough for rounding,
                    ///< small enough for functions that bend, and for "spread" arguments
  double tolerance; ///< what both errors together may make of a gradient of size 1
};
constexpr Accuracy kSingle = {1e-2, 4e-3};
constexpr Accuracy kDouble = {1e-4, 1e-6};

bool isNear(double numeric, double analytic, double tolerance) {
  return std::abs(numeric - analytic) <= tolerance * (1 + std::abs(analytic));
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
  CompiledCase(GradientCase &gradientCase, std::shared_ptr<const MemoryFile> file)
      : gradientCase(gradientCase), file(std::move(file)) {}

  /// The results of the function, then the gradients. Each run is the first step of a program of
  /// its own, so that what is random is the same in all of them.
  std::vector<std::vector<double>> run() {
    auto program = LoadedProgram::load(file->path());
    if (!program) {
      ADD_FAILURE() << llvm::toString(program.takeError());
      return {};
    }
    for (auto [i, tensor] : llvm::enumerate(gradientCase.variables()))
      copy(*tensor, (*program)->variable(i));
    std::vector<Buffer> inputs, outputs;
    for (Tensor *tensor : gradientCase.inputs())
      copy(*tensor, inputs.emplace_back(tensor->bytes().size()).data());
    std::vector<const Tensor *> results = outputTensors();
    for (const Tensor *tensor : results)
      outputs.emplace_back(tensor->bytes().size());
    if (llvm::Error error = (*program)->step(addresses(inputs), addresses(outputs))) {
      ADD_FAILURE() << llvm::toString(std::move(error));
      return {};
    }
    std::vector<std::vector<double>> values;
    for (auto [buffer, tensor] : llvm::zip_equal(outputs, results))
      values.push_back(tensor->type.getElementType().isF64() ? read<double>(buffer, tensor->size())
                                                             : read<float>(buffer, tensor->size()));
    return values;
  }

  /// The value that is differentiated, summed in f64 so that only the operator itself rounds.
  double value() {
    double total = 0;
    std::vector<std::vector<double>> results = run();
    for (size_t i = 0; i < gradientCase.weights.size() && i < results.size(); ++i)
      for (auto [result, weight] : llvm::zip_equal(results[i], gradientCase.weights[i].values))
        total += static_cast<double>(result) * weight;
    return total;
  }

private:
  static void copy(const Tensor &tensor, void *to) {
    std::vector<char> bytes = tensor.bytes();
    std::memcpy(to, bytes.data(), bytes.size());
  }

  template <typename T> static std::vector<double> read(Buffer &buffer, size_t size) {
    auto *first = static_cast<T *>(buffer.data());
    return {first, first + size};
  }

  /// Tensors of the types of the outputs.
  std::vector<const Tensor *> outputTensors() const {
    std::vector<const Tensor *> tensors;
    for (const Tensor &weight : gradientCase.weights)
      tensors.push_back(&weight);
    for (const Tensor &argument : gradientCase.arguments)
      if (argument.isDifferentiated)
        tensors.push_back(&argument);
    return tensors;
  }

  static std::vector<void *> addresses(std::vector<Buffer> &buffers) {
    std::vector<void *> result;
    for (Buffer &buffer : buffers)
      result.push_back(buffer.data());
    return result;
  }

  GradientCase &gradientCase;
  std::shared_ptr<const MemoryFile> file;
};

llvm::Expected<std::shared_ptr<const MemoryFile>> compile(ModuleOp module, StringRef name) {
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
    compile::addSpecializePipeline(manager, {});
  };
  request.pipelines.lower = [](OpPassManager &manager) {
    compile::addLoweringPipeline(manager, {});
  };
  request.optimization = 1;
  request.cacheDirectory = testing::TempDir() + "/tutti-gradients";
  auto compiled = execution::compileProgram(request);
  if (!compiled)
    return compiled.takeError();
  return compiled->file;
}

/// Compares each element of each gradient.
void checkGradients(GradientCase &gradientCase, CompiledCase &compiled, Accuracy accuracy) {
  std::vector<std::vector<double>> results = compiled.run();
  size_t next = gradientCase.weights.size();
  for (auto [number, argument] : llvm::enumerate(gradientCase.arguments)) {
    if (!argument.isDifferentiated)
      continue;
    ASSERT_LT(next, results.size());
    const std::vector<double> &gradients = results[next++];
    for (size_t i = 0; i < argument.size(); ++i) {
      double center = argument.values[i];
      argument.values[i] = center + accuracy.distance;
      double above = compiled.value();
      argument.values[i] = center - accuracy.distance;
      double below = compiled.value();
      argument.values[i] = center;
      double numeric = (above - below) / (2 * accuracy.distance);
      EXPECT_TRUE(isNear(numeric, gradients[i], accuracy.tolerance))
          << "argument " << number << ", element " << i << ": the gradient is " << gradients[i]
          << ", but finite differences give " << numeric;
    }
  }
}

class FiniteDifferences : public testing::Test {
public:
  FiniteDifferences(func::FuncOp function, Accuracy accuracy)
      : gradientCase(function), accuracy(accuracy) {}

  void TestBody() override {
    OwningOpRef<ModuleOp> program = gradientCase.buildProgram();
    auto path = compile(*program, gradientCase.function.getName());
    ASSERT_TRUE(static_cast<bool>(path)) << llvm::toString(path.takeError());
    CompiledCase compiled(gradientCase, *path);
    checkGradients(gradientCase, compiled, accuracy);
  }

private:
  GradientCase gradientCase;
  Accuracy accuracy;
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
      read(path, context);
  }

  /// Registers one test per function. False if a file cannot be read.
  bool registerTests() {
    for (auto &[name, module, accuracy] : files) {
      if (!module)
        return false;
      for (func::FuncOp function : module->getOps<func::FuncOp>())
        testing::RegisterTest(name.c_str(), function.getName().str().c_str(), nullptr, nullptr,
                              __FILE__, __LINE__,
                              [function, accuracy = accuracy]() -> testing::Test * {
                                return new FiniteDifferences(function, accuracy);
                              });
    }
    return !files.empty();
  }

  /// The names of all operations in all cases.
  std::set<std::string> operations() {
    std::set<std::string> names;
    for (auto &[name, module, accuracy] : files)
      module->walk([&](Operation *op) { names.insert(op->getName().getStringRef().str()); });
    return names;
  }

private:
  /// Once as it is, and once with tensors of f64 for those of f32.
  void read(const std::string &path, MLIRContext &context) {
    auto file = llvm::MemoryBuffer::getFile(path);
    std::string text = file ? (*file)->getBuffer().str() : "";
    std::string name = llvm::sys::path::stem(path).str();
    ParserConfig config(&context);
    files.emplace_back("Gradients_" + name, parseSourceString<ModuleOp>(text, config, path),
                       kSingle);
    for (auto [from, to] :
         {std::pair{"xf32>", "xf64>"}, {"<f32>", "<f64>"}, {"to = f32", "to = f64"}})
      for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
        text.replace(at, StringRef(from).size(), to);
    files.emplace_back("Gradients_f64_" + name, parseSourceString<ModuleOp>(text, config, path),
                       kDouble);
  }

  struct File {
    File(std::string name, OwningOpRef<ModuleOp> module, Accuracy accuracy)
        : name(std::move(name)), module(std::move(module)), accuracy(accuracy) {}
    std::string name;
    OwningOpRef<ModuleOp> module;
    Accuracy accuracy;
  };
  std::vector<File> files;
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
  EXPECT_TRUE(isNear(1.001, 1.0, kSingle.tolerance));
  EXPECT_FALSE(isNear(1.02, 1.0, kSingle.tolerance));
  EXPECT_FALSE(isNear(0.0, 0.01, kSingle.tolerance));
  EXPECT_FALSE(isNear(std::nan(""), 1.0, kSingle.tolerance));
  EXPECT_FALSE(isNear(1.00001, 1.0, kDouble.tolerance));
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
