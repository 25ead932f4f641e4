// Loop nests that share a function give the bits that they give one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/ImportOnnx.h"
#include "passes/compile/Pipelines.h"
#include "passes/gradient/Pipelines.h"
#include "test/lib/execution/TextProgram.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace tutti::test;
using namespace tutti::execution;

namespace {

struct Model {
  const char *file, *recipe;
};

using Words = std::vector<std::vector<uint32_t>>;

size_t countOf(const llvm::json::Object &tensor) {
  size_t count = 1;
  for (const llvm::json::Value &size : *tensor.getArray("shape"))
    count *= *size.getAsInteger();
  return count;
}

/// The memory that the pointers lead to that a step takes or fills, as the manifest lists it.
class Arrays {
public:
  Arrays(const llvm::json::Object &manifest, llvm::ArrayRef<llvm::StringRef> lists) {
    const llvm::json::Object *step = manifest.getObject("step");
    for (llvm::StringRef list : lists)
      for (const llvm::json::Value &entry : *step->getArray(list))
        add(*entry.getAsObject());
  }

  std::vector<void *> pointers() const {
    std::vector<void *> result;
    for (const auto &buffer : buffers)
      result.push_back(buffer->data());
    return result;
  }

  Words values() const {
    Words result;
    for (const auto &buffer : buffers)
      result.push_back(buffer->values());
    return result;
  }

private:
  /// Inputs of floats look random, classes count from 0 to 9; 32 bits hold half of an i64.
  void add(const llvm::json::Object &tensor) {
    size_t count = countOf(tensor);
    bool isFloat = tensor.getString("type") == "f32";
    std::vector<uint32_t> words(isFloat ? count : 2 * count);
    std::vector<float> floats = numbers(count, buffers.size() + 1);
    if (std::optional<double> value = tensor.getNumber("value")) // of a hyperparameter
      floats[0] = *value;
    for (size_t index = 0; index < count; ++index)
      if (isFloat)
        memcpy(&words[index], &floats[index], sizeof(float));
      else
        words[2 * index] = index % 10;
    buffers.push_back(std::make_unique<Buffer<uint32_t>>(words));
  }

  std::vector<std::unique_ptr<Buffer<uint32_t>>> buffers;
};

/// The variables of f32 after the steps.
Words variablesOf(const LoadedProgram &program) {
  Words result;
  for (const auto &[number, entry] : llvm::enumerate(*program.manifest().getArray("variables"))) {
    const llvm::json::Object &tensor = *entry.getAsObject();
    if (tensor.getString("type") != "f32")
      continue;
    auto *first = static_cast<const uint32_t *>(program.variable(number));
    result.emplace_back(first, first + countOf(tensor));
  }
  return result;
}

class OutlineLoops : public testing::TestWithParam<Model> {
protected:
  mlir::OwningOpRef<mlir::ModuleOp> read() {
    std::string path = std::string(TUTTI_MODELS) + "/" + GetParam().file;
    auto content = llvm::MemoryBuffer::getFile(path);
    if (!content)
      return nullptr;
    auto module = tutti::frontend::importOnnx(path, (*content)->getBuffer(), &compiler.context());
    mlir::PassManager passes(&compiler.context());
    auto complain = [](const llvm::Twine &) { return mlir::failure(); };
    if (!module || failed(tutti::gradient::addTrainPipeline(passes, GetParam().recipe, complain)) ||
        failed(passes.run(*module)))
      return nullptr;
    return module;
  }

  Words train(mlir::ModuleOp module, bool outlineLoops) {
    CompileRequest request = compiler.request(module);
    request.name = outlineLoops ? "outlined" : "in-place"; // one cache, two programs
    request.pipelines.lower = [=](mlir::OpPassManager &passes) {
      tutti::compile::CompileOptions options;
      options.outlineLoops = outlineLoops;
      tutti::compile::addLoweringPipeline(passes, options);
    };
    auto compiled = compileProgram(request);
    EXPECT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
    return run(*compiled);
  }

  Words run(const CompiledProgram &compiled) {
    auto loaded = LoadedProgram::load(compiled.path(), /*seed=*/7);
    EXPECT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    LoadedProgram &program = **loaded;
    Arrays inputs(program.manifest(), {"inputs", "hyperparameters"});
    Arrays results(program.manifest(), {"metrics", "outputs"});
    EXPECT_FALSE(program.initialize());
    for (int step = 0; step < 3; ++step)
      EXPECT_FALSE(program.step(inputs.pointers(), results.pointers()));
    Words words = variablesOf(program);
    llvm::append_range(words, results.values());
    return words;
  }

  Compiler compiler;
};

TEST_P(OutlineLoops, GivesTheSameBits) {
  auto module = read();
  ASSERT_TRUE(module) << compiler.diagnostics();
  Words inPlace = train(*module, false);
  ASSERT_GT(inPlace.size(), 2u);
  EXPECT_EQ(inPlace, train(*module, true));
}

INSTANTIATE_TEST_SUITE_P(
    Models, OutlineLoops,
    testing::Values(
        Model{"digits_mlp.onnx", "loss=softmax-cross-entropy optimizer=adamw learning-rate=0.001 "
                                 "weight-decay=0.01 global-batch=8 clip-norm=1.0"},
        Model{"digits_cnn.onnx", "loss=softmax-cross-entropy optimizer=momentum "
                                 "learning-rate=0.01 global-batch=8"},
        Model{"digits_dropout.onnx",
              "loss=softmax-cross-entropy optimizer=adam learning-rate=0.01 global-batch=8"}));

} // namespace
