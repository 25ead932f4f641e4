// The data of a run as launcher and ranks open it: what is found before the first step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/TrainingData.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

class TrainingData : public testing::Test {
protected:
  TrainingData() {
    write("x", 50);
    write("y", 50);
    Tensor x, y;
    x.name = "x", x.type = TUTTI_F32, x.shape = {4};
    y.name = "y", y.type = TUTTI_F32, y.shape = {4};
    manifest.program = "p";
    manifest.ranks = 2;
    manifest.global_batch = manifest.samples_per_step = 8;
    manifest.local_batch = 4;
    manifest.shard_mode = TUTTI_SHARD_STRIDED;
    manifest.inputs = {x, y};
    manifest.evaluation.emplace();
    manifest.evaluation->batch = 4;
    manifest.evaluation->inputs = {x};
    config.ranks = 2;
    config.datasets = {folder.path("x.npy"), folder.path("y.npy")};
    config.epochs = 2;
    config.shuffle = false;
  }

  std::string write(const std::string &name, int64_t rows) const {
    std::vector<float> values;
    for (int64_t i = 0; i < rows; ++i)
      values.push_back(float(i));
    return folder.write(name + ".npy", npy("<f4", text("(", rows, ",)"), bytes_of(values)));
  }
  std::string training_complaint() {
    auto opened = open_training_data(config, manifest, 0, inflated);
    return opened ? "no error" : opened.error().message;
  }
  std::string evaluation_complaint() {
    auto opened = open_evaluation_data(config, manifest, inflated);
    return opened ? "no error" : opened.error().message;
  }

  TemporaryFolder folder;
  Manifest manifest;
  RunConfig config;
  data::InflatedArrays inflated{{}};
};

} // namespace

TEST_F(TrainingData, FactsOfBoth) {
  config.evaluation_datasets = {folder.path("x.npy")};
  auto facts = check_data(config, manifest, inflated);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->samples, 50);
  EXPECT_EQ(facts->steps_per_epoch, 6);
  EXPECT_EQ(facts->dropped, 2);
  EXPECT_EQ(facts->steps, 12);
  EXPECT_EQ(facts->evaluated, 50);
  EXPECT_EQ(facts->evaluation_batch, 4);
  config.datasets = {folder.path("none.npy")};
  EXPECT_FALSE(check_data(config, manifest, inflated));
}

TEST_F(TrainingData, gives_each_rank_its_rows) {
  for (int64_t rank : {0, 1}) {
    auto opened = open_training_data(config, manifest, rank, inflated);
    ASSERT_TRUE(opened && *opened) << opened.error().message;
    EXPECT_EQ((*opened)->steps_per_epoch(), 6);
    EXPECT_EQ((*opened)->dropped_per_epoch(), 2);
    EXPECT_EQ((*opened)->rows_of(1),
              (std::vector<int64_t>{8 + rank, 10 + rank, 12 + rank, 14 + rank}));
  }
}

TEST_F(TrainingData, is_absent_where_a_step_has_no_inputs) {
  manifest.inputs.clear();
  EXPECT_EQ(training_complaint(), "program 'p' has no inputs, so an epoch has no end; give a "
                                  "number of steps");
  config.steps = 3;
  auto opened = open_training_data(config, manifest, 0, inflated);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->has_value());
}

TEST_F(TrainingData, refuses_what_no_step_could_use) {
  manifest.global_batch = manifest.samples_per_step = 64;
  EXPECT_THAT(training_complaint(),
              HasSubstr("has 50 samples, too few for one global batch of 64"));
  config.datasets = {folder.path("none.npz")};
  EXPECT_THAT(training_complaint(), HasSubstr("none.npz': No such file or directory"));
}

TEST_F(TrainingData, refuses_epochs_without_end) {
  config.epochs = INT64_MAX;
  EXPECT_THAT(training_complaint(),
              HasSubstr("epochs of 6 steps are more steps than can be counted"));
  config.steps = INT64_MAX;
  EXPECT_EQ(training_complaint(), "no error") << "that many can be counted, if not made";
}

TEST_F(TrainingData, binds_inputs_of_the_step_and_of_the_evaluation) {
  write("pixels", 50);
  config.datasets = {folder.path("pixels.npy"), folder.path("y.npy")};
  config.evaluation_datasets = {folder.path("pixels.npy")};
  EXPECT_THAT(training_complaint(), HasSubstr("has no array 'x'"));
  EXPECT_THAT(evaluation_complaint(), HasSubstr("has no array 'x'"));
  config.bindings = {{"x", "pixels"}};
  EXPECT_EQ(training_complaint(), "no error");
  EXPECT_EQ(evaluation_complaint(), "no error");
  config.bindings["z"] = "pixels";
  EXPECT_EQ(training_complaint(),
            "--bind z=pixels: the program has no input 'z'; its inputs are: x, y");
}

TEST_F(TrainingData, is_checked_for_the_evaluation_too) {
  EXPECT_EQ(evaluation_complaint(), "no error") << "nobody asked for one";
  config.evaluation_datasets = {write("x", 0)};
  EXPECT_THAT(evaluation_complaint(), HasSubstr("has no samples to evaluate on"));
  manifest.evaluation.reset();
  EXPECT_THAT(evaluation_complaint(),
              HasSubstr("program 'p' cannot be evaluated: it has no @evaluate"));
}

TEST_F(TrainingData, has_a_whole_batch_where_the_loss_needs_one) {
  manifest.evaluation->batch = 60;
  config.evaluation_datasets = {folder.path("x.npy")};
  EXPECT_EQ(evaluation_complaint(), "no error") << "some rows are repeated";
  manifest.evaluation->means.resize(1);
  manifest.evaluation->means[0].batches = Manifest::Mean::Batches::whole;
  EXPECT_THAT(evaluation_complaint(), HasSubstr("has 50 samples, too few for one global batch of "
                                                "60, on which the loss is evaluated"));
  manifest.evaluation->batch = 50;
  EXPECT_EQ(evaluation_complaint(), "no error");
}

TEST_F(TrainingData, has_both_classes_where_an_area_is_evaluated) {
  config.evaluation_datasets = {folder.path("x.npy")};
  auto label = [&](std::vector<float> values) {
    std::string shape = text("(", values.size(), ",)");
    folder.write("x.npy", npy("<f4", shape, bytes_of(values)));
    return evaluation_complaint();
  };
  EXPECT_EQ(label({1, 1, 1}), "no error") << "they are no labels";
  manifest.evaluation->inputs[0].holds_labels = true;
  EXPECT_EQ(label({1, 0, 1}), "no error");
  EXPECT_EQ(label({0.25, 0.25}), "no error");
  EXPECT_EQ(label({1, 1, 1}),
            "array 'x' (input 'x'): all 3 labels are 1; the area under the ROC curve compares "
            "samples of both classes: evaluate on data that has both");
  EXPECT_THAT(label({0, 0}), HasSubstr("all 2 labels are 0; the area"));
}
