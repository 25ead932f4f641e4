// What a checkpoint says of the run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/rundir/folder/RunState.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::rundir;
using testing::ElementsAre;

namespace {

RunState example() {
  RunState state;
  state.program = "p \"quoted\"";
  state.fingerprint = "f";
  state.plan = "00000007";
  state.launch = "12";
  state.data = {UINT64_MAX, false, 1437, 64};
  state.global_batch = 64;
  state.batch_policy = "pad";
  state.shard_mode = TUTTI_SHARD_STRIDED;
  state.ranks = state.files = 4;
  state.rank = 3;
  state.hyperparameters = {{"learning_rate", 0.1}};
  state.record = {{"seed", "7"}, {"data", "f32 [3] 00000001"}};
  state.variables["w"] = {"trainable", worker::Placement::replicate, {}};
  state.variables["w.m"] = {"state", worker::Placement::shard, {3, 5}};
  state.variables["r"] = {"state", worker::Placement::per_rank, {}};
  state.move_to(50, 22);
  return state;
}

} // namespace

TEST(RunState, survives_its_metadata) {
  Result<RunState> read = RunState::parse(example().metadata());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->metadata(), example().metadata());
  EXPECT_EQ(read->epoch, 2);
  EXPECT_EQ(read->batch_of_epoch, 6);
  EXPECT_EQ(read->data.seed, UINT64_MAX);
  EXPECT_EQ(read->hyperparameters["learning_rate"], 0.1);
  EXPECT_EQ(read->record, example().record);
  EXPECT_FALSE(read->is_record_partial);
  EXPECT_THAT(read->variables["w.m"].whole, ElementsAre(3, 5));
}

TEST(RunState, needs_every_field) {
  for (const auto &[key, value] : example().metadata()) {
    Metadata metadata = example().metadata();
    metadata.erase(key);
    EXPECT_EQ(bool(RunState::parse(metadata)), key == "record") << key;
    bool is_text = key == "program" || key == "fingerprint" || key == "plan" || key == "launch" ||
                   key == "batch_policy";
    metadata[key] = "x";
    EXPECT_EQ(bool(RunState::parse(metadata)), is_text) << key;
  }
}

TEST(RunState, knows_a_little_of_checkpoints_without_a_record) {
  Metadata metadata = example().metadata();
  metadata.erase("record");
  Result<RunState> read = RunState::parse(metadata);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->is_record_partial);
  EXPECT_EQ(read->record, (worker::RunRecord{{"seed", "18446744073709551615"},
                                             {"shuffle", "false"},
                                             {"samples", "1437"},
                                             {"global-batch", "64"}}));
}
