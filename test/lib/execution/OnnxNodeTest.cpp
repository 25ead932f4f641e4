// The test cases that the ONNX project publishes for its operators (Debian's libonnx-testdata),
// compiled and run: one model of one node each, with inputs and the outputs that they must give.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/execution/TextProgram.h"

#include "dialects/train/Train.h"
#include "lib/frontend/ImportOnnx.h"
#include "runtime/data/Readers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <onnx/onnx_pb.h>

#include <cmath>
#include <cstring>

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
  static const std::vector<std::string> operations = {"Reshape",   "ReduceSum", "Squeeze",
                                                      "Unsqueeze", "Split",     "Dropout"};
  return index > 0 && llvm::is_contained(operations, operation);
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

class OnnxNode : public testing::TestWithParam<const char *> {};

TEST_P(OnnxNode, GivesThePublishedNumbers) {
  std::string directory = kRoot + std::string("test_") + GetParam();
  if (!llvm::sys::fs::exists(kRoot))
    GTEST_SKIP() << "libonnx-testdata is not installed";
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(readFile(directory + "/model.onnx"))) << directory;
  auto inputs = bindStaticInputs(model, readTensors(directory, "input"));
  auto outputs = readTensors(directory, "output");
  // A test case may ask for the first results only.
  Compiler compiler;
  auto module = importAsProgram(compiler, model);
  ASSERT_TRUE(module) << compiler.diagnostics();
  auto request = compiler.request(*module);
  request.pipelines.specialize = [](mlir::OpPassManager &passes) {
    passes.addPass(mlir::createCanonicalizerPass());
  };
  request.optimization = 1; // hundreds of tiny programs
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

const char *const kCases[] = {
    "add",
    "add_bcast",
    "sub",
    "sub_bcast",
    "sub_example",
    "mul",
    "mul_bcast",
    "div",
    "div_bcast",
    "pow",
    "pow_bcast_array",
    "pow_bcast_scalar",
    "pow_types_float",
    "pow_types_float32_int32",
    "pow_types_float32_int64",
    "pow_types_int",
    "pow_types_int32_float32",
    "pow_types_int32_int32",
    "pow_types_int64_float32",
    "pow_types_int64_int64",
    "neg",
    "sqrt",
    "exp",
    "log",
    "erf",
    "relu",
    "sigmoid",
    "tanh",
    "sum_example",
    "sum_one_input",
    "sum_two_inputs",
    "identity",
    "cast_DOUBLE_to_FLOAT",
    "cast_FLOAT_to_DOUBLE",
    "matmul_2d",
    "matmul_3d",
    "matmul_4d",
    "gemm_all_attributes",
    "gemm_alpha",
    "gemm_beta",
    "gemm_default_matrix_bias",
    "gemm_default_no_bias",
    "gemm_default_scalar_bias",
    "gemm_default_single_elem_vector_bias",
    "gemm_default_vector_bias",
    "gemm_default_zero_bias",
    "gemm_transposeA",
    "gemm_transposeB",
    "basic_conv_with_padding",
    "basic_conv_without_padding",
    "conv_with_autopad_same",
    "conv_with_strides_and_asymmetric_padding",
    "conv_with_strides_no_padding",
    "conv_with_strides_padding",
    "maxpool_1d_default",
    "maxpool_2d_ceil",
    "maxpool_2d_default",
    "maxpool_2d_dilations",
    "maxpool_2d_pads",
    "maxpool_2d_precomputed_pads",
    "maxpool_2d_precomputed_same_upper",
    "maxpool_2d_precomputed_strides",
    "maxpool_2d_same_lower",
    "maxpool_2d_same_upper",
    "maxpool_2d_strides",
    "maxpool_3d_default",
    "averagepool_1d_default",
    "averagepool_2d_ceil",
    "averagepool_2d_default",
    "averagepool_2d_pads",
    "averagepool_2d_pads_count_include_pad",
    "averagepool_2d_precomputed_pads",
    "averagepool_2d_precomputed_pads_count_include_pad",
    "averagepool_2d_precomputed_same_upper",
    "averagepool_2d_precomputed_strides",
    "averagepool_2d_same_lower",
    "averagepool_2d_same_upper",
    "averagepool_2d_strides",
    "averagepool_3d_default",
    "batchnorm_epsilon",
    "batchnorm_epsilon_training_mode",
    "batchnorm_example",
    "batchnorm_example_training_mode",
    "dropout_default",
    "dropout_default_mask",
    "dropout_default_mask_ratio",
    "dropout_default_ratio",
    "training_dropout_zero_ratio",
    "training_dropout_zero_ratio_mask",
    "softmax_axis_0",
    "softmax_axis_1",
    "softmax_axis_2",
    "softmax_default_axis",
    "softmax_large_number",
    "softmax_negative_axis",
    "logsoftmax_axis_0",
    "logsoftmax_axis_1",
    "logsoftmax_axis_2",
    "logsoftmax_default_axis",
    "logsoftmax_large_number",
    "logsoftmax_negative_axis",
    "sce_mean",
    "sce_mean_3d",
    "sce_mean_log_prob",
    "sce_mean_3d_log_prob",
    "sce_mean_no_weight_ii",
    "sce_mean_no_weight_ii_3d",
    "sce_mean_no_weight_ii_4d",
    "sce_mean_weight",
    "sce_mean_weight_ii",
    "sce_mean_weight_ii_3d",
    "sce_mean_weight_ii_4d",
    "sce_mean_weight_ii_4d_log_prob",
    "sce_none",
    "sce_none_weights",
    "sce_none_weights_log_prob",
    "sce_sum",
    "sce_sum_log_prob",
    "sce_NCd1_mean_weight_negative_ii",
    "sce_NCd1d2d3_none_no_weight_negative_ii",
    "sce_NCd1d2d3_sum_weight_high_ii",
    "sce_NCd1d2d3d4d5_mean_weight",
    "sce_NCd1d2d3d4d5_none_no_weight",
    "flatten_axis0",
    "flatten_axis1",
    "flatten_axis3",
    "flatten_default_axis",
    "flatten_negative_axis2",
    "reshape_extended_dims",
    "reshape_negative_dim",
    "reshape_one_dim",
    "reshape_reduced_dims",
    "reshape_reordered_all_dims",
    "reshape_zero_and_negative_dim",
    "reshape_zero_dim",
    "transpose_all_permutations_0",
    "transpose_all_permutations_1",
    "transpose_all_permutations_2",
    "transpose_all_permutations_3",
    "transpose_all_permutations_4",
    "transpose_all_permutations_5",
    "transpose_default",
    "concat_1d_axis_0",
    "concat_1d_axis_negative_1",
    "concat_2d_axis_0",
    "concat_2d_axis_1",
    "concat_2d_axis_negative_1",
    "concat_2d_axis_negative_2",
    "concat_3d_axis_0",
    "concat_3d_axis_1",
    "concat_3d_axis_2",
    "concat_3d_axis_negative_1",
    "concat_3d_axis_negative_2",
    "concat_3d_axis_negative_3",
    "gather_0",
    "gather_1",
    "gather_2d_indices",
    "gather_negative_indices",
    "split_equal_parts_1d",
    "split_equal_parts_2d",
    "split_equal_parts_default_axis",
    "split_variable_parts_1d",
    "split_variable_parts_2d",
    "split_variable_parts_default_axis",
    "squeeze",
    "squeeze_negative_axes",
    "unsqueeze_axis_0",
    "unsqueeze_axis_2",
    "unsqueeze_three_axes",
    "unsqueeze_unsorted_axes",
    "reduce_sum_default_axes_keepdims_random",
    "reduce_sum_do_not_keepdims_random",
    "reduce_sum_keepdims_random",
    "reduce_sum_negative_axes_keepdims_random",
    "reduce_sum_empty_axes_input_noop_random",
    "reduce_mean_default_axes_keepdims_random",
    "reduce_mean_do_not_keepdims_random",
    "reduce_mean_keepdims_random",
    "reduce_mean_negative_axes_keepdims_random",
};

INSTANTIATE_TEST_SUITE_P(Published, OnnxNode, testing::ValuesIn(kCases),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
