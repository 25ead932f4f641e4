// The test cases that the ONNX project publishes for its operators (Debian's libonnx-testdata),
// compiled and run: one model of one node each, with inputs and the outputs that they must give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/OnnxNodeCases.h"
#include "test/lib/execution/TextProgram.h"

#include "dialects/train/Train.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/forms/OpsetForms.h"
#include "lib/frontend/functions/FunctionTable.h"
#include "runtime/data/Readers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <sstream>

using namespace tutti::test;
using tutti::execution::LoadedProgram;

namespace {

constexpr const char *kRoot = "/usr/share/libonnx-testdata/data/node/";

std::string readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// Tensors `input_0.pb`, `input_1.pb`, ... of a test case.
std::vector<onnx::TensorProto> readTensors(const std::string &directory, const std::string &stem) {
  std::vector<onnx::TensorProto> tensors;
  for (int index = 0;; ++index) {
    std::string path = directory + "/test_data_set_0/" + stem + "_" + std::to_string(index) + ".pb";
    if (!llvm::sys::fs::exists(path))
      return tensors;
    tensors.emplace_back().ParseFromString(readFile(path));
  }
}

/// Whether the operator's input says a shape or a mode, which a compiled program has as a constant.
bool isStaticInput(const std::string &operation, int index) {
  bool isMode = operation == "Dropout" || operation == "Pad";
  return tutti::frontend::isShapeOperand(operation, index) || (isMode && index > 0);
}

/// Turns the inputs that must be constant into initializers; returns the others.
std::vector<onnx::TensorProto> bindStaticInputs(onnx::ModelProto &model,
                                                const std::vector<onnx::TensorProto> &inputs) {
  auto &graph = *model.mutable_graph();
  std::vector<std::string> bound;
  for (const auto &node : graph.node())
    for (int index = 0; index < node.input_size(); ++index)
      if (isStaticInput(node.op_type(), index))
        bound.push_back(node.input(index));
  std::vector<onnx::TensorProto> fed;
  auto declared = graph.input();
  graph.clear_input();
  for (int index = 0; index < declared.size(); ++index) {
    if (!llvm::is_contained(bound, declared[index].name())) {
      *graph.add_input() = declared[index];
      fed.push_back(inputs[index]);
      continue;
    }
    auto *initializer = graph.add_initializer();
    *initializer = inputs[index];
    initializer->set_name(declared[index].name());
  }
  return fed;
}

/// The inference model as a program whose step is the inference.
mlir::OwningOpRef<mlir::ModuleOp> importAsProgram(Compiler &compiler,
                                                  const onnx::ModelProto &model) {
  auto module =
      tutti::frontend::importOnnx("model.onnx", model.SerializeAsString(), &compiler.context());
  if (!module)
    return nullptr;
  mlir::Builder builder(&compiler.context());
  if (auto forward = module->lookupSymbol<mlir::func::FuncOp>("forward"))
    forward.setName("step");
  for (auto dataset : module->getOps<tutti::train::DatasetOp>())
    dataset.setGlobalBatch(1);
  return module;
}

tutti::runtime::data::Array decode(const std::string &bytes) {
  auto array = tutti::runtime::data::read_tensor_proto("tensor", bytes, nullptr);
  if (array)
    return *array;
  ADD_FAILURE() << array.error().message;
  return {};
}

/// Element i of an array of a file, which has no alignment.
template <typename T> double element(const char *array, int64_t i) {
  T value;
  std::memcpy(&value, array + i * sizeof value, sizeof value);
  return double(value);
}

template <typename T> void expectClose(const char *expected, const char *found, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    double want = element<T>(expected, i), have = element<T>(found, i);
    if (std::isnan(want) && std::isnan(have))
      continue;
    ASSERT_NEAR(have, want, 1e-6 + 1e-4 * std::abs(want)) << "element " << i;
  }
}

void expectEqualTensors(const tutti::runtime::data::Array &expected, const char *found) {
  int64_t count = 1;
  for (int64_t size : expected.shape)
    count *= size;
  if (expected.type == TUTTI_F32)
    expectClose<float>(expected.data, found, count);
  else if (expected.type == TUTTI_F64)
    expectClose<double>(expected.data, found, count);
  else
    EXPECT_EQ(std::string(found, count * tutti_type_bytes(expected.type)),
              std::string(expected.data, count * tutti_type_bytes(expected.type)));
}

tutti::execution::CompileRequest requestFor(Compiler &compiler, mlir::ModuleOp module) {
  auto request = compiler.request(module);
  request.pipelines.specialize = [](mlir::OpPassManager &passes) {
    passes.addPass(mlir::createCanonicalizerPass());
  };
  request.optimization = 1; // hundreds of tiny programs
  return request;
}

std::vector<std::string> passingCases() {
  std::istringstream words(kPassingCases);
  return {std::istream_iterator<std::string>(words), {}};
}

class OnnxNode : public testing::TestWithParam<std::string> {};

TEST_P(OnnxNode, GivesThePublishedNumbers) {
  std::string directory = kRoot + std::string("test_") + GetParam();
  if (!llvm::sys::fs::exists(kRoot))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(readFile(directory + "/model.onnx"))) << directory;
  for (auto &import : *model.mutable_opset_import()) // such operators are the same in 7
    import.set_version(std::max<int64_t>(import.version(), 7));
  auto inputs = bindStaticInputs(model, readTensors(directory, "input"));
  auto outputs = readTensors(directory, "output");
  // A test case may ask for the first results only.
  Compiler compiler;
  auto module = importAsProgram(compiler, model);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto request = requestFor(compiler, *module);
  auto compiled = tutti::execution::compileProgram(request);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError()) << "\n"
                              << compiler.diagnostics();
  auto program = LoadedProgram::load(compiled->path());
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());

  std::vector<std::unique_ptr<Buffer<char>>> memory;
  std::vector<void *> in, out;
  auto add = [&](const onnx::TensorProto &tensor, std::vector<void *> &list, bool copy) {
    std::string bytes = tensor.SerializeAsString();
    auto array = decode(bytes);
    int64_t size = *tutti::runtime::data::array_bytes(array.type, array.shape);
    memory.push_back(std::make_unique<Buffer<char>>(size));
    if (copy)
      std::copy(array.data, array.data + size, memory.back()->data());
    list.push_back(memory.back()->data());
  };
  for (const auto &tensor : inputs)
    add(tensor, in, true);
  for (const auto &tensor : outputs)
    add(tensor, out, false);
  llvm::Error error = (*program)->step(in, out);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  for (size_t index = 0; index < outputs.size(); ++index) {
    SCOPED_TRACE("output " + std::to_string(index));
    std::string bytes = outputs[index].SerializeAsString();
    expectEqualTensors(decode(bytes), static_cast<const char *>(out[index]));
  }
}

/// Why the case cannot be compiled; empty if it can.
std::string refusalOf(const std::string &name) {
  onnx::ModelProto model;
  std::string directory = kRoot + std::string("test_") + name;
  if (!model.ParseFromString(readFile(directory + "/model.onnx")))
    return "there is no such case";
  bindStaticInputs(model, readTensors(directory, "input"));
  Compiler compiler;
  auto module = importAsProgram(compiler, model);
  if (!module)
    return compiler.diagnostics();
  auto request = requestFor(compiler, *module);
  auto compiled = tutti::execution::compileProgram(request);
  return compiled ? "" : llvm::toString(compiled.takeError()) + compiler.diagnostics();
}

class RefusedOnnxNode : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedOnnxNode, SaysWhy) {
  if (!llvm::sys::fs::exists(kRoot))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  EXPECT_THAT(refusalOf(GetParam().name), testing::HasSubstr(GetParam().reason));
}

/// Whether the importer has something to make of each node.
bool isKnown(const onnx::ModelProto &model, mlir::MLIRContext &context) {
  return llvm::all_of(model.graph().node(), [&](const onnx::NodeProto &node) {
    return node.domain().empty() &&
           (tutti::frontend::isComposed(node.op_type()) ||
            tutti::frontend::hasFormulas("", node.op_type()) ||
            mlir::RegisteredOperationName::lookup("onnx." + node.op_type(), &context));
  });
}

// Whoever adds an operator lists its cases.
TEST(OnnxNodeLists, EveryPublishedCaseIsListed) {
  std::vector<std::string> passing = passingCases();
  std::set<std::string> listed(passing.begin(), passing.end());
  for (const RefusedCase &refused : kRefusedCases)
    listed.insert(refused.name);
  Compiler compiler;
  compiler.context().loadAllAvailableDialects();
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(kRoot, error), end; entry != end && !error;
       entry.increment(error)) {
    std::string name = llvm::sys::path::filename(entry->path()).drop_front(5).str(); // "test_"
    onnx::ModelProto model;
    if (!listed.count(name) && model.ParseFromString(readFile(entry->path() + "/model.onnx"))) {
      EXPECT_FALSE(isKnown(model, compiler.context()))
          << name << " is of operators that we know, but is in no list of OnnxNodeCases.h";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Published, OnnxNode, testing::ValuesIn(passingCases()),
                         [](const auto &info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Published, RefusedOnnxNode, testing::ValuesIn(kRefusedCases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
