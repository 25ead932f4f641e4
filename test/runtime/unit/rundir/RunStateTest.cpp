// What a checkpoint says of the run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/rundir/RunState.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::rundir;
using testing::ElementsAre;
using testing::HasSubstr;

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
  state.variables["w"] = {"trainable", worker::Placement::replicated, {}};
  state.variables["w.m"] = {"state", worker::Placement::sharded, {3, 5}};
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
  EXPECT_THAT(read->variables["w.m"].whole, ElementsAre(3, 5));
}

TEST(RunState, needs_every_field) {
  for (const auto &[key, value] : example().metadata()) {
    Metadata metadata = example().metadata();
    metadata.erase(key);
    EXPECT_FALSE(RunState::parse(metadata)) << key;
    bool is_text = key == "program" || key == "fingerprint" || key == "plan" || key == "launch" ||
                   key == "batch_policy";
    metadata[key] = "x";
    EXPECT_EQ(bool(RunState::parse(metadata)), is_text) << key;
  }
}

TEST(RunState, refuses_data_that_would_not_go_on) {
  RunState saved = example(), now = example();
  EXPECT_FALSE(check_same_data(saved, now));
  now.ranks = 2; // any number of ranks
  EXPECT_FALSE(check_same_data(saved, now));
  now.data.batch = 128;
  EXPECT_THAT(check_same_data(saved, now).message,
              HasSubstr("made with batches of 64, this run has 128"));
  now = example(), now.data.seed = 3;
  EXPECT_THAT(check_same_data(saved, now).message, HasSubstr("--seed 18446744073709551615"));
  now = example(), now.data.is_shuffled = true;
  EXPECT_THAT(check_same_data(saved, now).message, HasSubstr("--shuffle false"));
  now = example(), now.data.samples = 5;
  EXPECT_THAT(check_same_data(saved, now).message, HasSubstr("a dataset of 1437 samples"));
}

TEST(RunState, tells_what_changed) {
  RunState saved = example(), now = example();
  EXPECT_TRUE(notes_of_changes(saved, now).empty());
  now.hyperparameters["learning_rate"] = 0.2;
  now.fingerprint = "g";
  EXPECT_THAT(notes_of_changes(saved, now),
              ElementsAre("was made with learning_rate 0.1, the run goes on with 0.2"));
  now = example(), now.fingerprint = "g";
  EXPECT_THAT(notes_of_changes(saved, now), ElementsAre(HasSubstr("of another program")));
  now.ranks = 2; // every number of ranks has a fingerprint of its own
  EXPECT_TRUE(notes_of_changes(saved, now).empty());
}
