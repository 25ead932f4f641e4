// The test cases that the ONNX project publishes (Debian's libonnx-testdata), compiled and run:
// models of one node, or of a few, with inputs and the outputs that they must give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/OnnxNodeCases.h"
#include "test/lib/execution/TextProgram.h"

#include "dialects/train/Train.h"
#include "lib/frontend/ImportOnnx.h"
#include "lib/frontend/forms/OpsetForms.h"
#include "runtime/host/data/Readers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <list>

using namespace tutti::test;
using tutti::test::LoadedProgram;

namespace {

/// The folders of the cases: of operators, and of what PyTorch exported. TUTTI_ONNX_CASES names
/// one that is taken instead, of cases of newer operator sets.
std::vector<std::string> caseFolders() {
  if (const char *given = std::getenv("TUTTI_ONNX_CASES"))
    return {given + std::string("/")};
  std::string all = "/usr/share/libonnx-testdata/data/";
  return {all + "node/", all + "pytorch-converted/", all + "pytorch-operator/"};
}

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

template <typename T>
void expectClose(const char *expected, const char *found, int64_t count, double digits) {
  for (int64_t i = 0; i < count; ++i) {
    double want = element<T>(expected, i), have = element<T>(found, i);
    if (want == have || (std::isnan(want) && std::isnan(have)))
      continue;
    ASSERT_NEAR(have, want, digits + 1e-4 * std::abs(want)) << "element " << i;
  }
}

/// The published bfloat16 are cut off; the specification has them rounded to the nearest.
void expectRounded(const char *expected, const char *found, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    int want = uint16_t(element<int16_t>(expected, i)), have = uint16_t(element<int16_t>(found, i));
    ASSERT_LE(std::abs(want - have), 1) << "element " << i;
  }
}

/// `digits` is how far they may be apart.
void expectHalves(const char *expected, const char *found, int64_t count, double digits) {
  auto wide = [](const char *array, int64_t i) {
    llvm::APInt bits(16, uint16_t(element<int16_t>(array, i)));
    return double(llvm::APFloat(llvm::APFloat::IEEEhalf(), bits).convertToFloat());
  };
  for (int64_t i = 0; i < count; ++i) {
    double want = wide(expected, i), have = wide(found, i);
    if (want == have || (std::isnan(want) && std::isnan(have)))
      continue;
    ASSERT_NEAR(have, want, digits) << "element " << i;
  }
}

/// `digits`: how much the published floats leave off.
void expectEqualTensors(const tutti::runtime::data::Array &expected, const char *found,
                        double digits) {
  int64_t count = 1;
  for (int64_t size : expected.shape)
    count *= size;
  if (expected.type == TUTTI_F32)
    expectClose<float>(expected.data, found, count, digits);
  else if (expected.type == TUTTI_F64)
    expectClose<double>(expected.data, found, count, digits);
  else if (expected.type == TUTTI_BF16)
    expectRounded(expected.data, found, count);
  else if (expected.type == TUTTI_F16)
    expectHalves(expected.data, found, count, digits);
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

/// What is published, without "test_"; nothing where the package is not installed.
std::vector<std::string> publishedCases() {
  std::vector<std::string> names;
  std::error_code error;
  for (const std::string &folder : caseFolders())
    for (llvm::sys::fs::directory_iterator entry(folder, error), end; entry != end && !error;
         entry.increment(error))
      if (llvm::StringRef name = llvm::sys::path::filename(entry->path());
          name.consume_front("test_"))
        names.push_back(name.str());
  llvm::sort(names);
  return names;
}

/// One case: its model, with shapes and modes bound, and its tensors.
struct Case {
  onnx::ModelProto model;
  std::vector<onnx::TensorProto> inputs, outputs;

  /// False where the files cannot be read.
  bool read(const std::string &name) {
    std::string directory;
    for (const std::string &folder : caseFolders())
      if (directory.empty() && llvm::sys::fs::exists(folder + "test_" + name))
        directory = folder + "test_" + name;
    if (directory.empty() || !model.ParseFromString(readFile(directory + "/model.onnx")))
      return false;
    for (auto &import : *model.mutable_opset_import()) // such operators are the same in 6
      if (import.domain().empty())
        import.set_version(std::max<int64_t>(import.version(), 6));
    if (name == "adam_multiple") // its numbers are those of another epsilon than its default
      setAttribute("epsilon", 1e-2f);
    inputs = readTensors(directory, "input");
    feedWeights();
    outputs = readTensors(directory, "output");
    for (int i = 0; i < model.graph().input_size() && i < int(inputs.size()); ++i)
      typeAs(model.graph().input(i), inputs[i]);
    for (int i = 0; i < model.graph().output_size() && i < int(outputs.size()); ++i)
      typeAs(model.graph().output(i), outputs[i]);
    std::stable_partition(outputs.begin(), outputs.end(), isMetric);
    inputs = bindStaticInputs(model, inputs);
    return true;
  }

private:
  /// Makes inputs of the weights, of which a step would make variables. Before IR version 4 they
  /// are declared as inputs anyway.
  void feedWeights() {
    auto &graph = *model.mutable_graph();
    auto declared = graph.input();
    auto initializers = graph.initializer();
    graph.clear_input();
    graph.clear_initializer();
    auto isWeight = [&](const std::string &name) {
      return llvm::any_of(initializers, [&](const auto &tensor) { return tensor.name() == name; });
    };
    for (const auto &input : declared)
      if (!isWeight(input.name()))
        *graph.add_input() = input;
    for (const auto &tensor : initializers) {
      if (tensor.data_type() != onnx::TensorProto::FLOAT) {
        *graph.add_initializer() = tensor;
        continue;
      }
      auto &input = *graph.add_input();
      input.set_name(tensor.name());
      auto &type = *input.mutable_type()->mutable_tensor_type();
      type.set_elem_type(tensor.data_type());
      auto &shape = *type.mutable_shape();
      for (int64_t size : tensor.dims())
        shape.add_dim()->set_dim_value(size);
      inputs.push_back(tensor);
    }
  }
  /// Programs give metrics first.
  static bool isMetric(const onnx::TensorProto &tensor) {
    return tensor.dims_size() == 0 && tensor.data_type() == onnx::TensorProto::FLOAT;
  }
  void setAttribute(const char *name, float value) {
    auto *attribute = model.mutable_graph()->mutable_node(0)->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::FLOAT);
    attribute->set_f(value);
  }
  /// The published files hold bfloat16 as numbers of 16 bits.
  static void typeAs(const onnx::ValueInfoProto &declared, onnx::TensorProto &tensor) {
    int type = declared.type().tensor_type().elem_type();
    if (type == onnx::TensorProto::BFLOAT16 && tensor.data_type() == onnx::TensorProto::UINT16)
      tensor.set_data_type(type);
  }
};

/// Memory of a step's arguments or results.
class Tensors {
public:
  /// Zeros of the size of each of `tensors`.
  explicit Tensors(const std::vector<onnx::TensorProto> &tensors) {
    for (const onnx::TensorProto &tensor : tensors) {
      bytes.push_back(tensor.SerializeAsString());
      arrays.push_back(decode(bytes.back()));
      auto size = tutti::runtime::data::array_bytes(arrays.back().type, arrays.back().shape);
      memory.push_back(std::make_unique<Buffer<char>>(arrays.back().data && size ? *size : 0));
      pointers.push_back(memory.back()->data());
    }
  }
  void fill() {
    for (auto [array, buffer] : llvm::zip(arrays, memory))
      std::copy(array.data, array.data + buffer->size(), buffer->data());
  }

  std::list<std::string> bytes;                    ///< as in the files
  std::vector<tutti::runtime::data::Array> arrays; ///< views of these
  std::vector<void *> pointers;

private:
  std::vector<std::unique_ptr<Buffer<char>>> memory;
};

/// Dropout's published masks are numpy's. Ours are others: elements are dropped or scaled.
void expectDropped(const Tensors &in, const Tensors &out, float ratio) {
  int64_t count = in.arrays[0].shape[0] * in.arrays[0].shape[1] * in.arrays[0].shape[2];
  auto *x = static_cast<const float *>(in.pointers[0]);
  auto *y = static_cast<const float *>(out.pointers[0]);
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    bool isKept = y[i] != 0;
    kept += isKept;
    ASSERT_NEAR(y[i], isKept ? x[i] / (1 - ratio) : 0, 1e-5) << "element " << i;
    bool mask = out.pointers.size() > 1 ? static_cast<const bool *>(out.pointers[1])[i] : isKept;
    ASSERT_EQ(mask, isKept) << "element " << i;
  }
  EXPECT_NEAR(double(kept) / double(count), 1 - ratio, 0.3);
}

/// Ones with the probabilities that the input has, whichever these are.
void expectCoins(const Tensors &in, const Tensors &out) {
  const auto &drawn = out.arrays[0];
  double wanted = 0, ones = 0;
  int64_t count = 1;
  for (int64_t size : drawn.shape)
    count *= size;
  for (int64_t i = 0; i < count; ++i) {
    double one = drawn.type == TUTTI_F64 ? static_cast<const double *>(out.pointers[0])[i]
                                         : double(static_cast<const float *>(out.pointers[0])[i]);
    ASSERT_TRUE(one == 0 || one == 1) << "element " << i;
    ones += one;
    wanted += in.arrays[0].type == TUTTI_F64
                  ? static_cast<const double *>(in.pointers[0])[i]
                  : double(static_cast<const float *>(in.pointers[0])[i]);
  }
  EXPECT_NEAR(ones, wanted, 4) << "of " << count;
}

/// Why the case cannot be compiled; empty if it can.
std::string refusalOf(Case &published) {
  Compiler compiler;
  auto module = importAsProgram(compiler, published.model);
  if (!module)
    return compiler.diagnostics();
  auto request = requestFor(compiler, *module);
  auto compiled = tutti::execution::compileProgram(request);
  return compiled ? "" : llvm::toString(compiled.takeError()) + compiler.diagnostics();
}

class OnnxNode : public testing::TestWithParam<std::string> {};

// Each published case gives the published numbers, or is refused for the reason of OnnxNodeCases.h.
TEST_P(OnnxNode, GivesThePublishedNumbers) {
  Case published;
  ASSERT_TRUE(published.read(GetParam()));
  if (const char *reason = refusedBecause(GetParam())) {
    EXPECT_THAT(refusalOf(published), testing::HasSubstr(reason));
    return;
  }
  Compiler compiler;
  auto module = importAsProgram(compiler, published.model);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto request = requestFor(compiler, *module);
  auto compiled = tutti::execution::compileProgram(request);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError()) << "\n"
                              << compiler.diagnostics();
  auto program = LoadedProgram::load(compiled->path());
  ASSERT_TRUE(bool(program)) << llvm::toString(program.takeError());

  Tensors in(published.inputs), out(published.outputs); // maybe the first results only
  in.fill();
  ASSERT_FALSE(HasFailure());
  llvm::Error error = (*program)->step(in.pointers, out.pointers);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  if (std::optional<float> ratio = dropoutRatio(GetParam()))
    return expectDropped(in, out, *ratio);
  if (GetParam().find("bernoulli") == 0)
    return expectCoins(in, out);
  for (size_t index = 0; index < out.arrays.size(); ++index) {
    SCOPED_TRACE("output " + std::to_string(index));
    expectEqualTensors(out.arrays[index], static_cast<const char *>(out.pointers[index]),
                       digitsOf(GetParam()));
  }
}

// A refusal of a case that is gone would be a line without a meaning.
TEST(OnnxNodeLists, EveryRefusedCaseIsPublished) {
  std::vector<std::string> published = publishedCases();
  if (published.empty() || std::getenv("TUTTI_ONNX_CASES"))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  for (const RefusedCases &refused : kRefusedCases)
    EXPECT_TRUE(llvm::any_of(published, [&](const std::string &name) {
      return refused.hold(name);
    })) << refused.pattern;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnnxNode); // where nothing is installed
INSTANTIATE_TEST_SUITE_P(Published, OnnxNode, testing::ValuesIn(publishedCases()),
                         [](const auto &info) { return info.param; });

} // namespace
