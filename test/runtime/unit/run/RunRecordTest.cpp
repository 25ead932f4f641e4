// What two runs that should be one differ in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/RunRecord.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// What is wrong with going on; empty: nothing.
std::string refused(const RunRecord &saved, const RunRecord &now,
                    const std::vector<std::string> &accepted = {}, bool is_partial = false) {
  std::vector<std::string> notes;
  return check_same_run(saved, is_partial, now, accepted, notes).message;
}

/// Rows of two arrays, 4 numbers a row in the first.
data::RowGatherer rows_of(std::vector<float> &values, std::vector<int64_t> &labels) {
  int64_t rows = int64_t(labels.size());
  data::Array first = {
      "x", TUTTI_F32, {rows, 4}, reinterpret_cast<const char *>(values.data()), nullptr};
  data::Array second = {
      "y", TUTTI_I64, {rows}, reinterpret_cast<const char *>(labels.data()), nullptr};
  return data::RowGatherer({{first, {"x", TUTTI_F32, {}}}, {second, {"y", TUTTI_I64, {}}}});
}

} // namespace

TEST(RunRecord, names_each_key_that_differs_with_both_values) {
  RunRecord saved = {{"seed", "0"}, {"data", "f32 [4] 1"}, {"optimizer", "adam"}};
  EXPECT_EQ(refused(saved, saved), "");
  RunRecord now = {{"seed", "7"}, {"data", "f32 [4] 2"}, {"local-sgd", "4"}, {"optimizer", "adam"}};
  std::string said = refused(saved, now);
  EXPECT_THAT(said, HasSubstr("data f32 [4] 1 there, f32 [4] 2 now"));
  EXPECT_THAT(said, HasSubstr("seed 0 there, 7 now"));
  EXPECT_THAT(said, HasSubstr("local-sgd the default there, 4 now"));
  EXPECT_THAT(said, HasSubstr("--resume-anyway=data,local-sgd,seed "));
}

TEST(RunRecord, goes_on_where_each_difference_is_accepted) {
  RunRecord saved = {{"seed", "0"}, {"shuffle", "true"}},
            now = {{"seed", "7"}, {"shuffle", "false"}};
  EXPECT_THAT(refused(saved, now, {"seed"}), HasSubstr("--resume-anyway=shuffle "));
  std::vector<std::string> notes;
  EXPECT_FALSE(check_same_run(saved, false, now, {"shuffle", "seed"}, notes));
  EXPECT_THAT(notes, ElementsAre("was made with seed 0, the run goes on with 7",
                                 "was made with shuffle true, the run goes on with false"));
  EXPECT_THAT(refused(saved, now, {"sede"}), HasSubstr("nothing is called 'sede'"));
}

TEST(RunRecord, does_not_compare_what_nobody_wrote_down) {
  RunRecord saved = {{"seed", "0"}}, now = {{"seed", "0"}, {"data", "f32 [4] 2"}};
  EXPECT_NE(refused(saved, now), "");
  EXPECT_EQ(refused(saved, now, {}, /*is_partial=*/true), "");
  now["seed"] = "1";
  EXPECT_NE(refused(saved, now, {}, /*is_partial=*/true), "");
}

TEST(RunRecord, knows_the_instructions_of_code_and_kernels) {
  RunConfig config;
  config.instructions = "native of znver3 (1f0c93aa)";
  RunRecord saved = record_of(config, {}, nullptr);
  config.instructions = "x86-64-v3";
  setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  RunRecord now = record_of(config, {}, nullptr);
  unsetenv("ONEDNN_MAX_CPU_ISA");
  std::string said = refused(saved, now);
  EXPECT_THAT(said, HasSubstr("instructions native of znver3 (1f0c93aa) there, x86-64-v3 now"));
  EXPECT_THAT(said, HasSubstr("onednn-max-cpu-isa none there, AVX2 now"));
  EXPECT_THAT(said, HasSubstr("--resume-anyway=instructions,onednn-max-cpu-isa "));
  EXPECT_EQ(refused(saved, now, {"instructions", "onednn-max-cpu-isa"}), "");
  saved.erase("instructions"), saved.erase("onednn-max-cpu-isa");
  EXPECT_EQ(refused(saved, now), ""); // an old checkpoint does not tell
}

TEST(RunRecord, tells_few_of_many_differences) {
  RunRecord saved, now;
  for (const char *key : {"a", "b", "c", "d", "e", "f"})
    saved[key] = "0", now[key] = "1";
  EXPECT_THAT(refused(saved, now), HasSubstr("d 0 there, 1 now; and 2 more\n"));
  EXPECT_THAT(refused(saved, now), HasSubstr("--resume-anyway=a,b,c,d,e,f "));
}

TEST(RunRecord, does_not_depend_on_ranks_and_steps_but_their_agreement_does) {
  Manifest two, three;
  two.ranks = 2, three.ranks = 3;
  two.batch_policy = "error", three.batch_policy = "weighted";
  Hyperparameter rate = {{}, 0.1};
  rate.tensor.name = "learning_rate";
  two.hyperparameters = three.hyperparameters = {rate};
  RunConfig few, many;
  few.steps = 10, many.steps = 20, many.model_dir = "run";
  EXPECT_EQ(record_of(few, two, nullptr), record_of(many, three, nullptr));
  EXPECT_EQ(record_of(few, two, nullptr)["learning-rate"], "0.1");
  RunRecord one = agreement_of(few, two, nullptr, nullptr);
  RunRecord other = agreement_of(many, three, nullptr, nullptr);
  EXPECT_EQ(one["steps"], "10");
  EXPECT_EQ(other["steps"], "20");
  EXPECT_EQ(other["model-dir"], "given");
  EXPECT_THAT(spell(one), HasSubstr("seed: 0\n"));
}

TEST(RunRecord, of_data_knows_shapes_types_and_rows) {
  std::vector<float> values(400, 1.5f);
  std::vector<int64_t> labels(100, 3);
  std::string whole = rows_of(values, labels).fingerprint();
  EXPECT_THAT(whole, HasSubstr("f32 [100, 4] "));
  EXPECT_THAT(whole, HasSubstr(", i64 [100] "));
  for (size_t at : {0, 201, 399}) {
    values[at] = 2;
    EXPECT_NE(rows_of(values, labels).fingerprint(), whole) << at;
    values[at] = 1.5f;
  }
  EXPECT_EQ(rows_of(values, labels).fingerprint(), whole);
  labels.back() = 4;
  EXPECT_NE(rows_of(values, labels).fingerprint(), whole);
  values.resize(396), labels.resize(99), labels.back() = 3;
  EXPECT_NE(rows_of(values, labels).fingerprint(), whole);
  std::vector<float> none;
  std::vector<int64_t> nothing;
  EXPECT_THAT(rows_of(none, nothing).fingerprint(), HasSubstr("f32 [0, 4] "));
}
