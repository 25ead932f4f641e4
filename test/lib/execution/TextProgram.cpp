// Programs written as MLIR text, compiled and run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "passes/compile/Pipelines.h"
#include "tools/registration/RegisterAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <random>

using namespace tutti::test;
using namespace tutti::execution;

Compiler::Compiler() {
  mlir::DialectRegistry registry;
  tutti::registerAllTuttiDialects(registry);
  mlirContext =
      std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  mlirContext->getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  llvm::SmallString<64> path;
  llvm::sys::fs::createUniqueDirectory("tutti-test", path);
  directory = path.str().str();
  llvm::sys::fs::setPermissions(directory, llvm::sys::fs::owner_all); // a cache wants no other
}

Compiler::~Compiler() { llvm::sys::fs::remove_directories(directory); }

mlir::OwningOpRef<mlir::ModuleOp> Compiler::parse(llvm::StringRef text) {
  return mlir::parseSourceString<mlir::ModuleOp>(text, mlirContext.get());
}

CompileRequest Compiler::request(mlir::ModuleOp module) const {
  CompileRequest request;
  request.module = module;
  request.cacheDirectory = directory;
  request.pipelines = {
      [](mlir::OpPassManager &passes) { tutti::compile::addSpecializePipeline(passes, {}); },
      [](mlir::OpPassManager &passes) { tutti::compile::addLoweringPipeline(passes, {}); }};
  return request;
}

llvm::Expected<CompiledProgram> Compiler::compile(llvm::StringRef text) {
  auto module = parse(text);
  if (!module)
    return llvm::createStringError("the text does not parse: " + messages);
  return compileProgram(request(*module));
}

std::unique_ptr<LoadedProgram> Compiler::run(llvm::StringRef text) {
  auto compiled = compile(text);
  if (!compiled) {
    ADD_FAILURE() << llvm::toString(compiled.takeError()) << "\n" << messages;
    return nullptr;
  }
  auto loaded = LoadedProgram::load(compiled->path(), /*seed=*/7);
  if (!loaded) {
    ADD_FAILURE() << llvm::toString(loaded.takeError());
    return nullptr;
  }
  if (llvm::Error error = (*loaded)->initialize())
    ADD_FAILURE() << llvm::toString(std::move(error));
  return std::move(*loaded);
}

std::string tutti::test::wrapOperator(llvm::ArrayRef<std::string> argumentTypes,
                                      llvm::ArrayRef<std::string> resultTypes,
                                      llvm::StringRef body) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "module attributes {train.program} {\n  train.dataset @data {global_batch = 1 : i64}\n"
         "  func.func @initialize() { return }\n  func.func @step(";
  for (size_t index = 0; index < argumentTypes.size(); ++index)
    out << (index ? ", " : "") << "%" << index << ": " << argumentTypes[index]
        << " {train.input = #train.input<\"i" << index << "\", @data>}";
  out << ") -> (";
  for (size_t index = 0; index < resultTypes.size(); ++index)
    out << (index ? ", " : "") << resultTypes[index] << " {train.output = \"o" << index << "\"}";
  out << ") {\n" << body << "\n  }\n}\n";
  return text;
}

std::vector<float> tutti::test::numbers(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> result(count);
  for (float &value : result)
    value = static_cast<float>(generator() % 20001) / 10000 - 1;
  return result;
}
