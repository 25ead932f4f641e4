// What a run says from its first step to its last, and what its summary keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/reporting/RunLog.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

Tensor scalar(const char *name) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = TUTTI_F32;
  return tensor;
}

Variable variable(const char *kind, std::vector<int64_t> shape) {
  Variable made;
  made.name = kind;
  made.kind = kind;
  made.type = TUTTI_F32;
  made.shape = std::move(shape);
  return made;
}

class RunLogTest : public testing::Test {
protected:
  RunLogTest() {
    manifest.program = "digits";
    manifest.samples_per_step = 64;
    manifest.metrics = {scalar("accuracy"), scalar("loss")};
    manifest.variables = {variable("trainable", {100, 20}), variable("state", {7})};
    config.run.progress = "log";
  }

  /// What is printed while a run of these losses is logged, on both streams.
  void run(const std::vector<float> &losses, int64_t samples = 1437) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Result<RunLog> log =
        RunLog::open(config, manifest, int64_t(losses.size()), /*steps_per_epoch=*/2);
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_FALSE(log->begin(manifest, samples, "shm", steps_before));
    for (size_t step = 0; step < losses.size(); ++step) {
      float accuracy = 0.5f, loss = losses[step];
      void *results[] = {&accuracy, &loss};
      log->record(int64_t(step), 0.5, results, summary, evaluated.count(step) > 0);
    }
    error = log->close();
    ASSERT_FALSE(log->close_summaries(summary, /*is_evaluated=*/false));
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
  }

  Manifest manifest;
  WorkerConfig config;
  RankSummary summary = {};
  std::set<size_t> evaluated; ///< steps after which there is the evaluation of `summary`
  int64_t steps_before = 0;
  Error error;
  std::string out, err;
};

constexpr float not_finite = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST_F(RunLogTest, begins_with_what_is_trained) {
  run({1, 2, 3});
  EXPECT_EQ(out.substr(0, out.find('\n')),
            "training digits: 2,000 parameters, 1,437 samples, 64 a step, 3 steps, 1 rank");
}

TEST_F(RunLogTest, says_where_a_run_goes_on) {
  steps_before = 1200;
  run({1, 2, 3});
  EXPECT_THAT(out, HasSubstr("3 steps, going on after step 1,200, 1 rank"));
}

TEST_F(RunLogTest, writes_summaries_into_the_run_directory) {
  TemporaryFolder folder;
  config.run.model_dir = folder.path("");
  config.run.save_summary_steps = 2;
  manifest.hyperparameters = {{scalar("rate"), 0.25}};
  run({4, 3, 2.5});
  std::string lines = TemporaryFolder::read(folder.path("metrics.jsonl"));
  EXPECT_THAT(lines,
              testing::StartsWith(R"({"step":2,"epoch":1,"accuracy":0.5,"loss":3.0,"rate":0.25,)"));
  EXPECT_THAT(lines, HasSubstr("\n{\"step\":3,"));
  EXPECT_EQ(folder.files(), 2u); // and the events
}

TEST_F(RunLogTest, counts_whole_variables_and_names_the_transport) {
  Variable sharded = variable("trainable", {500000});
  sharded.placement = Placement::shard;
  sharded.whole = {999999};
  manifest.variables = {sharded};
  manifest.ranks = 2;
  run({1}, /*samples=*/0);
  EXPECT_EQ(out.substr(0, out.find('\n')),
            "training digits: 999,999 parameters, 1 step, 2 ranks over shared memory");
}

TEST_F(RunLogTest, keeps_the_first_and_the_last_loss) {
  run({4, 3, 2.5});
  EXPECT_EQ(summary.first_loss, 4);
  EXPECT_EQ(summary.last_loss, 2.5);
  EXPECT_EQ(summary.first_bad_step, 0);
  EXPECT_THAT(out, HasSubstr("epoch 2/2  step 3/3  loss 2.5"));
  EXPECT_EQ(err, "");
}

TEST_F(RunLogTest, warns_of_the_first_loss_that_is_not_finite) {
  run({1, not_finite, 1, not_finite});
  EXPECT_EQ(summary.first_bad_step, 2);
  EXPECT_EQ(err, "warning: the loss of step 2 is not finite (nan)\n");
}

TEST_F(RunLogTest, writes_metrics_under_their_names) {
  TemporaryFolder folder;
  config.run.metrics = folder.path("m.jsonl");
  run({4, not_finite, 2});
  EXPECT_FALSE(error) << error.message;
  std::istringstream lines(TemporaryFolder::read(config.run.metrics));
  std::vector<json> records;
  for (std::string line; std::getline(lines, line);)
    records.push_back(json::parse(line));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0], json({{"step", 1},
                              {"epoch", 1},
                              {"accuracy", 0.5},
                              {"loss", 4.0},
                              {"samples_per_second", 128.0}}));
  EXPECT_TRUE(records[1]["loss"].is_null());
  EXPECT_EQ(records[2]["epoch"], 2) << "of two steps each";
}

TEST_F(RunLogTest, tells_of_evaluations) {
  TemporaryFolder folder;
  config.run.metrics = folder.path("m.jsonl");
  manifest.evaluation.emplace();
  manifest.evaluation->metrics = {scalar("loss"), scalar("weight")};
  manifest.evaluation->means.resize(2);
  manifest.evaluation->means[1].is_weight = true;
  summary.evaluation_metrics = 2, summary.evaluated_samples = 9;
  summary.evaluation[0] = 0.25, summary.evaluation[1] = 3;
  evaluated = {1};
  run({4, 3, 2});
  EXPECT_THAT(out, HasSubstr("\nevaluation after step 2: loss 0.2500 (9 samples)\n"));
  EXPECT_THAT(out, Not(HasSubstr("after step 3")));
  std::istringstream lines(TemporaryFolder::read(config.run.metrics));
  std::vector<json> records;
  for (std::string line; std::getline(lines, line);)
    records.push_back(json::parse(line));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_FALSE(records[0].contains("evaluation"));
  EXPECT_EQ(records[1]["evaluation"], json({{"loss", 0.25}}));
  EXPECT_FALSE(records[2].contains("evaluation"));
}

TEST_F(RunLogTest, of_nothing_to_train_says_so) {
  run({}, /*samples=*/0);
  EXPECT_EQ(out, "evaluating digits: 2,000 parameters, 1 rank\n");
}

TEST_F(RunLogTest, of_other_ranks_is_silent) {
  TemporaryFolder folder;
  config.run.metrics = folder.path("m.jsonl");
  config.run.ranks = manifest.ranks = 2;
  config.rank = 1;
  run({1, not_finite});
  EXPECT_EQ(out, "");
  EXPECT_EQ(err, "");
  EXPECT_EQ(folder.files(), 0u);
  EXPECT_EQ(summary.first_bad_step, 2) << "but knows it";
}

TEST_F(RunLogTest, is_silent_when_asked_to_but_for_warnings) {
  config.run.progress = "none";
  run({1, not_finite});
  EXPECT_EQ(out, "");
  EXPECT_THAT(err, HasSubstr("not finite"));
}

TEST_F(RunLogTest, does_without_a_loss) {
  manifest.metrics = {scalar("accuracy"), scalar("cost")};
  run({not_finite, 1});
  EXPECT_EQ(summary.first_loss, 0);
  EXPECT_EQ(summary.first_bad_step, 0);
  EXPECT_THAT(out, testing::Not(HasSubstr("loss")));
  EXPECT_EQ(err, "");
}

TEST_F(RunLogTest, tells_at_its_end_what_could_not_be_written) {
  config.run.metrics = "/dev/full";
  run({1, 2});
  EXPECT_THAT(error.message, HasSubstr("metrics: cannot write '/dev/full': No space left"));
  EXPECT_THAT(out, HasSubstr("step 2/2")) << "and trains to the end";
}
