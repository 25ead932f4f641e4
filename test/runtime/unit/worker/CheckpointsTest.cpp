// What a rank takes from a checkpoint of other ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/Checkpoints.h"
#include "runtime/host/checkpoint/Safetensors.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

class Checkpoints : public testing::Test {
protected:
  /// The two elements that rank 1 of 2 has of its only variable after loading `saved`.
  std::vector<float> load(Variable variable, checkpoint::Variable saved) {
    std::string path = folder.path("x.safetensors");
    EXPECT_FALSE(checkpoint::save(path, {saved}, {}));
    Manifest manifest;
    manifest.ranks = 2;
    variable.name = "v";
    variable.type = TUTTI_F32;
    variable.shape = {2};
    manifest.variables = {variable};
    std::vector<float> held = {9, 9};
    Buffers buffers;
    buffers.variables = {held.data()};
    notes.clear();
    error = load_checkpoint(manifest, buffers, /*rank=*/1, path, notes);
    return held;
  }

  static Variable placed(Placement placement, const char *kind) {
    Variable variable;
    variable.placement = placement;
    variable.kind = kind;
    variable.whole = {3};
    return variable;
  }

  TemporaryFolder folder;
  std::vector<std::string> notes;
  Error error;
  float values[4] = {1, 2, 3, 4};
};

} // namespace

TEST_F(Checkpoints, give_a_part_of_a_whole_and_zeros_after_it) {
  EXPECT_EQ(load(placed(Placement::shard, "state"), {"v", TUTTI_F32, {3}, values}),
            (std::vector<float>{3, 0}));
  EXPECT_FALSE(error) << error.message;
  EXPECT_TRUE(notes.empty());
}

TEST_F(Checkpoints, give_each_rank_its_row) {
  Variable state = placed(Placement::per_rank, "state");
  EXPECT_EQ(load(state, {"v", TUTTI_F32, {2, 2}, values}), (std::vector<float>{3, 4}));
  EXPECT_EQ(load(state, {"v", TUTTI_F32, {2}, values}), (std::vector<float>{1, 2}));
  EXPECT_TRUE(notes.empty());
}

TEST_F(Checkpoints, leave_rows_of_other_ranks_alone) {
  Variable state = placed(Placement::per_rank, "state");
  EXPECT_EQ(load(state, {"v", TUTTI_F32, {1, 2}, values}), (std::vector<float>{9, 9}));
  EXPECT_FALSE(error) << error.message;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("has no 'v' of 2 ranks, each of which has its own"));
  load(state, {"other", TUTTI_F32, {1}, values});
  EXPECT_FALSE(error) << error.message;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[1], HasSubstr("has 1 tensors that the program does not: other"));
}

TEST_F(Checkpoints, give_the_mean_to_variables_of_the_model) {
  Variable weight = placed(Placement::per_rank, "trainable");
  EXPECT_EQ(load(weight, {"v", TUTTI_F32, {2}, values}), (std::vector<float>{1, 2}));
  load(weight, {"v", TUTTI_F32, {2, 2}, values});
  EXPECT_THAT(error.message, HasSubstr("variable 'v' is f32 [2] in the program"));
}
