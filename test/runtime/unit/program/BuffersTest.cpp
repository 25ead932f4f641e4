// The memory of a program on one rank: what is allocated, and hyperparameters by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Buffers.h"
#include "test/runtime/unit/kernels/KernelHost.h"

#include <algorithm>
#include <gmock/gmock.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

Tensor tensor(const char *name, int32_t type, std::vector<int64_t> shape) {
  Tensor made;
  made.name = name;
  made.type = type;
  made.shape = std::move(shape);
  return made;
}

Manifest small_program() {
  Manifest manifest;
  Variable variable;
  static_cast<Tensor &>(variable) = tensor("w", TUTTI_F32, {2, 3});
  manifest.variables = {variable, variable};
  manifest.variables[1].name = "count";
  manifest.inputs = {tensor("x", TUTTI_F32, {4, 3})};
  manifest.hyperparameters = {{tensor("rate", TUTTI_F32, {}), 0.5},
                              {tensor("steps", TUTTI_I32, {}), 7}};
  manifest.metrics = {tensor("loss", TUTTI_F32, {})};
  manifest.outputs = {tensor("y", TUTTI_F16, {4})};
  manifest.arena_bytes = 1000;
  Manifest::Evaluation evaluation;
  evaluation.variables = {1};
  evaluation.batch = 2;
  evaluation.inputs = {tensor("x", TUTTI_F32, {2, 3})};
  evaluation.metrics = {tensor("loss", TUTTI_F32, {2}), tensor("hit", TUTTI_F32, {2})};
  manifest.evaluation = evaluation;
  return manifest;
}

class BuffersTest : public testing::Test {
protected:
  Manifest manifest = small_program();
  KernelHost host;
  Buffers buffers = Buffers::allocate(host.context, manifest);
};

} // namespace

TEST_F(BuffersTest, has_all_that_the_program_names) {
  EXPECT_EQ(buffers.variables.size(), 2u);
  EXPECT_EQ(buffers.inputs.size(), 3u) << "an input and two hyperparameters";
  EXPECT_EQ(buffers.results.size(), 2u) << "a metric and an output";
  EXPECT_EQ(buffers.evaluation_inputs.size(), 1u);
  EXPECT_EQ(buffers.evaluation_results.size(), 2u);
  ASSERT_EQ(buffers.evaluation_variables.size(), 1u);
  EXPECT_EQ(buffers.evaluation_variables[0], buffers.variables[1]) << "evaluation reads the same";
  std::vector<void *> all = {buffers.arena};
  for (const auto *some : {&buffers.variables, &buffers.inputs, &buffers.results,
                           &buffers.evaluation_inputs, &buffers.evaluation_results})
    all.insert(all.end(), some->begin(), some->end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "no two are one";
  EXPECT_NE(all.front(), nullptr);
}

TEST_F(BuffersTest, starts_with_zeros_at_lines_of_the_cache) {
  for (void *memory : buffers.variables) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    const char *bytes = static_cast<const char *>(memory);
    EXPECT_TRUE(std::all_of(bytes, bytes + 24, [](char byte) { return byte == 0; }));
  }
}

TEST_F(BuffersTest, lets_the_run_replace_hyperparameters) {
  ASSERT_FALSE(buffers.set_hyperparameters(manifest, {}));
  EXPECT_EQ(*static_cast<float *>(buffers.inputs[1]), 0.5f);
  EXPECT_EQ(*static_cast<int32_t *>(buffers.inputs[2]), 7);
  ASSERT_FALSE(buffers.set_hyperparameters(manifest, {{"rate", 0.25}, {"steps", -1}}));
  EXPECT_EQ(*static_cast<float *>(buffers.inputs[1]), 0.25f);
  EXPECT_EQ(*static_cast<int32_t *>(buffers.inputs[2]), -1);
}

TEST_F(BuffersTest, refuses_hyperparameters_that_are_not_there_or_do_not_fit) {
  EXPECT_EQ(buffers.set_hyperparameters(manifest, {{"rat", 0.25}}).message,
            "the program has no hyperparameter 'rat'");
  EXPECT_EQ(buffers.set_hyperparameters(manifest, {{"rate", 1e39}}).message,
            "hyperparameter 'rate' is f32, which cannot hold 1e+39");
  EXPECT_EQ(buffers.set_hyperparameters(manifest, {{"steps", 0.5}}).message,
            "hyperparameter 'steps' is i32, which cannot hold 0.5");
}

TEST_F(BuffersTest, memory_that_cannot_be_had_is_an_error_of_the_context) {
  manifest.arena_bytes = int64_t(1) << 60;
  Buffers none = Buffers::allocate(host.context, manifest);
  EXPECT_EQ(none.arena, nullptr);
  EXPECT_THAT(host.message(), HasSubstr("1152921504606846976 bytes"));
}
