// Values that stand outside a compiled program: where ranks find them, and what is computed with
// them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Origins.h"
#include "test/lib/execution/TextProgram.h"

#include "passes/compile/Pipelines.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::execution;
using namespace tutti::test;
using testing::HasSubstr;

namespace {

constexpr int64_t kCount = 20000; // of f32: more than stays inside

/// A file with `offset` bytes before the numbers 0, 1, 2 ..., mapped.
class MappedNumbers {
public:
  explicit MappedNumbers(size_t offset) : offset(offset) {
    llvm::SmallString<64> unique;
    llvm::sys::fs::createTemporaryFile("tutti-values", "bin", unique);
    path = unique.str().str();
    std::vector<float> numbers(kCount);
    for (int64_t i = 0; i < kCount; ++i)
      numbers[i] = i;
    std::ofstream file(path, std::ios::binary);
    file << std::string(offset, 'x');
    file.write(reinterpret_cast<const char *>(numbers.data()), kCount * sizeof(float));
    file.close();
    buffer = std::move(*llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                                    /*RequiresNullTerminator=*/false));
  }
  ~MappedNumbers() { llvm::sys::fs::remove(path); }

  llvm::ArrayRef<char> bytes() const {
    return {buffer->getBufferStart() + offset, kCount * sizeof(float)};
  }
  mlir::AsmResourceBlob blob() const {
    auto keepMapped = [held = buffer](void *, size_t, size_t) {};
    return mlir::AsmResourceBlob(bytes(), /*dataAlignment=*/1, std::move(keepMapped),
                                 /*dataIsMutable=*/false);
  }
  std::string path;

private:
  size_t offset;
  std::shared_ptr<llvm::MemoryBuffer> buffer;
};

/// Variable w begins as `numbers`; the step adds x to it, and gives w + constant.
constexpr const char *kProgram = R"(
module attributes {train.program} {
  train.dataset @data {global_batch = 1 : i64}
  func.func @initialize() -> (tensor<20000xf32> {train.variable = #train.variable<"w", trainable>}) {
    %w = arith.constant dense_resource<numbers> : tensor<20000xf32>
    return %w : tensor<20000xf32>
  }
  func.func @step(%w: tensor<20000xf32> {train.variable = #train.variable<"w", trainable>},
                  %x: tensor<1x20000xf32> {train.input = #train.input<"x", @data>})
      -> (tensor<20000xf32> {train.variable = #train.variable<"w", trainable>},
          tensor<20000xf32> {train.output = "y"}) {
    %c = arith.constant dense_resource<CONSTANT> : tensor<20000xf32>
    %d = onnx.ReduceSum %x {axes = array<i64: 0>, keepdims = 0 : i64} : (tensor<1x20000xf32>) -> tensor<20000xf32>
    %n = onnx.Add %w, %d : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
    %y = onnx.Add %n, %c : (tensor<20000xf32>, tensor<20000xf32>) -> tensor<20000xf32>
    return %n, %y : tensor<20000xf32>, tensor<20000xf32>
  }
})";

/// kProgram with `constant` in its step; the resource "numbers" is in `numbers`.
mlir::OwningOpRef<mlir::ModuleOp> parse(Compiler &compiler, const MappedNumbers &numbers,
                                        const std::string &constant) {
  std::string text = kProgram;
  text.replace(text.find("CONSTANT"), 8, constant);
  auto module = compiler.parse(text);
  auto &manager = mlir::DenseResourceElementsHandle::getManagerInterface(&compiler.context());
  for (const char *name : {"numbers", "other"})
    if (manager.getBlobManager().lookup(name)) // which the text names
      manager.getBlobManager().update(name, numbers.blob());
  return module;
}

CompileRequest outside(Compiler &compiler, mlir::ModuleOp module) {
  CompileRequest request = compiler.request(module);
  request.pipelines.lower = [](mlir::OpPassManager &passes) {
    tutti::compile::CompileOptions options;
    options.valuesOutside = true;
    tutti::compile::addLoweringPipeline(passes, options);
  };
  return request;
}

/// The file of /proc/self/fd/N.
std::string fileOf(const CompiledProgram &program, const std::string &value) {
  return std::filesystem::read_symlink(program.values.places().at(value).path);
}

} // namespace

TEST(Origins, AreTheFilesOfMappings) {
  MappedNumbers numbers(/*offset=*/8192 + 12);
  Origins origins;
  std::optional<Origin> origin = origins.find(numbers.bytes());
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->offset, 8192u + 12);
  auto content = llvm::MemoryBuffer::getFile(pathOf(*origin->file));
  EXPECT_EQ((*content)->getBuffer().substr(origin->offset, numbers.bytes().size()),
            llvm::StringRef(numbers.bytes().data(), numbers.bytes().size()));
}

TEST(Origins, OfMemoryThereIsNone) {
  std::vector<char> memory(100000);
  EXPECT_FALSE(Origins().find(memory));
}

TEST(Origins, OfAFileThatIsGoneOrReplacedThereIsNone) {
  MappedNumbers numbers(0);
  llvm::sys::fs::remove(numbers.path);
  EXPECT_FALSE(Origins().find(numbers.bytes()));
  std::ofstream(numbers.path) << std::string(100000, 'x');
  EXPECT_FALSE(Origins().find(numbers.bytes()));
}

TEST(Origins, NoMappingIsLeft) {
  MappedNumbers numbers(0);
  Origins origins;
  llvm::ArrayRef<char> after(numbers.bytes().data(), numbers.bytes().size() + (1 << 20));
  EXPECT_FALSE(origins.find(after));
}

TEST(Values, InitialOnesStayInTheirFile) {
  Compiler compiler;
  MappedNumbers numbers(/*offset=*/4);
  auto module = parse(compiler, numbers, "other");
  auto compiled = compileProgram(outside(compiler, *module));
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError()) << compiler.diagnostics();
  EXPECT_EQ(fileOf(*compiled, "numbers"), numbers.path);
  EXPECT_EQ(compiled->values.places().at("numbers").offset, 4u);
  // The step uses the other one: training must not depend on a file.
  EXPECT_THAT(fileOf(*compiled, "other"), HasSubstr("memfd:"));
  auto program = LoadedProgram::load(compiled->path(), 0, compiled->values);
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  llvm::cantFail((*program)->initialize());
  Buffer<float> x(std::vector<float>(kCount, 0.5)), y(kCount);
  llvm::cantFail((*program)->step({x.data()}, {y.data()}));
  for (int64_t i : {0, 1, 2, 9999, 19999}) {
    EXPECT_EQ(static_cast<float *>((*program)->variable(0))[i], i + 0.5f);
    EXPECT_EQ(y[i], 2 * i + 0.5f);
  }
}

TEST(Values, WhatTheStepUsesTooIsCopied) {
  Compiler compiler;
  MappedNumbers numbers(0);
  auto module = parse(compiler, numbers, "numbers");
  auto compiled = compileProgram(outside(compiler, *module));
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError()) << compiler.diagnostics();
  EXPECT_EQ(compiled->values.places().size(), 1u);
  EXPECT_THAT(fileOf(*compiled, "numbers"), HasSubstr("memfd:"));
}

TEST(Values, WhatIsNotAlignedIsCopied) {
  Compiler compiler;
  MappedNumbers numbers(/*offset=*/3);
  auto module = parse(compiler, numbers, "other");
  auto compiled = compileProgram(outside(compiler, *module));
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError()) << compiler.diagnostics();
  EXPECT_THAT(fileOf(*compiled, "numbers"), HasSubstr("memfd:"));
  EXPECT_EQ(compiled->values.places().at("numbers").offset % 64, 0u);
  auto program = LoadedProgram::load(compiled->path(), 0, compiled->values);
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());
  llvm::cantFail((*program)->initialize());
  EXPECT_EQ(static_cast<float *>((*program)->variable(0))[19999], 19999.0f);
}

TEST(Values, AreNotInTheCacheAndFoundForWhatIs) {
  Compiler compiler;
  MappedNumbers numbers(0);
  auto module = parse(compiler, numbers, "other");
  llvm::cantFail(compileProgram(outside(compiler, *module)));
  auto compiled = llvm::cantFail(compileProgram(outside(compiler, *module)));
  EXPECT_TRUE(compiled.wasCached);
  EXPECT_EQ(fileOf(compiled, "numbers"), numbers.path);
  uint64_t size = 0;
  llvm::sys::fs::file_size(compiled.path(), size);
  EXPECT_LT(size, kCount * sizeof(float));
}

TEST(Values, AProgramThatIsNotGivenThemSaysSo) {
  Compiler compiler;
  MappedNumbers numbers(0);
  auto module = parse(compiler, numbers, "other");
  auto compiled = llvm::cantFail(compileProgram(outside(compiler, *module)));
  auto program = LoadedProgram::load(compiled.path());
  ASSERT_FALSE(bool(program));
  EXPECT_THAT(llvm::toString(program.takeError()), HasSubstr("is not given the value '"));
}

TEST(Values, AreInTheProgramUnlessAsked) {
  Compiler compiler;
  MappedNumbers numbers(0);
  auto module = parse(compiler, numbers, "other");
  auto compiled = llvm::cantFail(compileProgram(compiler.request(*module)));
  EXPECT_TRUE(compiled.values.places().empty());
  EXPECT_TRUE(bool(LoadedProgram::load(compiled.path())));
}
