// Evaluation: every sample counts once, whatever the batch and the number of ranks. And threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/Evaluation.h"
#include "runtime/host/worker/Threads.h"
#include "test/runtime/Fork.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/RankThreads.h"
#include "test/runtime/TemporaryFolder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <tuple>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

constexpr int64_t most = 4; ///< samples of a batch
thread_local int64_t batch, calls;
thread_local float last_input;

/// Metrics of each row x: x itself, {2 x, 4 x}, x as an integer, and one without values. Then {1,
/// 3} that is weighed by {x, 1}; x if it is even and no number if it is odd, weighed by 1 and 0;
/// and {0, 2 / x} weighed as the first, of which the exponential is reported. Then scores and their
/// labels.
float score_of(int64_t x) { return float(7 * x % 5); }
float label_of(int64_t x) { return x % 3 == 0 ? 0.75F : 0.25F; }

int32_t evaluate_rows(tutti_context *, void *const *, void *const *inputs, void *const *results,
                      void *) {
  ++calls;
  const float *rows = static_cast<const float *>(inputs[0]);
  last_input = rows[batch - 1];
  for (int64_t i = 0; i < batch; ++i) {
    static_cast<float *>(results[0])[i] = rows[i];
    static_cast<double *>(results[1])[2 * i] = 2 * rows[i];
    static_cast<double *>(results[1])[2 * i + 1] = 4 * rows[i];
    static_cast<int32_t *>(results[2])[i] = int32_t(rows[i]);
    bool is_even = int32_t(rows[i]) % 2 == 0;
    static_cast<float *>(results[4])[2 * i] = 1;
    static_cast<float *>(results[4])[2 * i + 1] = 3;
    static_cast<float *>(results[5])[2 * i] = rows[i];
    static_cast<float *>(results[5])[2 * i + 1] = 1;
    static_cast<float *>(results[6])[i] = is_even ? rows[i] : NAN;
    static_cast<float *>(results[7])[i] = is_even;
    static_cast<double *>(results[8])[2 * i] = 0;
    static_cast<double *>(results[8])[2 * i + 1] = 2 / double(rows[i]);
    static_cast<float *>(results[9])[i] = score_of(int64_t(rows[i]));
    static_cast<float *>(results[10])[i] = label_of(int64_t(rows[i]));
  }
  return TUTTI_OK;
}

Tensor tensor(const char *name, int32_t type, std::vector<int64_t> shape) {
  Tensor made;
  made.name = name;
  made.type = type;
  made.shape = std::move(shape);
  return made;
}

struct Evaluated {
  RankSummary summary = {};
  std::string error;
  int64_t calls;
  float last_input;
};

Program program_of(int64_t batch) {
  Program program;
  program.evaluate = evaluate_rows;
  program.manifest.evaluation = Manifest::Evaluation{
      {},
      batch,
      {tensor("x", TUTTI_F32, {batch})},
      {tensor("same", TUTTI_F32, {batch}), tensor("pair", TUTTI_F64, {batch, 2}),
       tensor("whole", TUTTI_I32, {batch}), tensor("none", TUTTI_F32, {batch, 0}),
       tensor("weighed", TUTTI_F32, {batch, 2}), tensor("weight", TUTTI_F32, {batch, 2}),
       tensor("even", TUTTI_F32, {batch}), tensor("is even", TUTTI_F32, {batch}),
       tensor("power", TUTTI_F64, {batch, 2}), tensor("auc", TUTTI_F32, {batch, 1}),
       tensor("label", TUTTI_F32, {batch, 1})},
      std::vector<Manifest::Mean>(11)};
  std::vector<Manifest::Mean> &means = program.manifest.evaluation->means;
  means[2].is_sum = true;
  means[4].weight = means[8].weight = 5;
  means[6].weight = 7;
  means[5].is_weight = means[7].is_weight = true;
  means[8].is_exponential = true;
  means[9].label = 10;
  means[10].is_label = true;
  return program;
}

/// Numbers of the rows of a batch: their mean, sum, maximum and minimum; and one that they make
/// together.
int32_t evaluate_batch(tutti_context *, void *const *, void *const *inputs, void *const *results,
                       void *) {
  ++calls;
  const float *rows = static_cast<const float *>(inputs[0]);
  double sum = 0, differences = 0;
  for (int64_t i = 0; i < batch; ++i) {
    sum += rows[i];
    for (int64_t j = 0; j < batch; ++j)
      differences += std::abs(rows[i] - rows[j]);
  }
  double numbers[] = {sum / double(batch), sum, *std::max_element(rows, rows + batch),
                      *std::min_element(rows, rows + batch), differences};
  for (size_t m = 0; m < 5; ++m)
    *static_cast<double *>(results[m]) = numbers[m];
  return TUTTI_OK;
}

/// All of them but the last, or the last alone.
Program program_of_numbers(int64_t batch, bool is_whole) {
  using Batches = Manifest::Mean::Batches;
  Program program;
  program.evaluate = evaluate_batch;
  program.manifest.evaluation =
      Manifest::Evaluation{{},
                           batch,
                           {tensor("x", TUTTI_F32, {batch})},
                           std::vector<Tensor>(5, tensor("", TUTTI_F64, {})),
                           std::vector<Manifest::Mean>(5)};
  Batches all[] = {Batches::mean, Batches::sum, Batches::maximum, Batches::minimum, Batches::whole};
  for (size_t m = 0; m < 5; ++m)
    program.manifest.evaluation->means[m].batches = is_whole ? Batches::whole : all[m % 4];
  return program;
}

/// The number of ranks, of rows, and whether the last rank has a smaller batch than the first.
class Evaluation : public testing::TestWithParam<std::tuple<int32_t, int64_t, bool>> {
protected:
  int32_t ranks() const { return std::get<0>(GetParam()); }
  int64_t rows() const { return std::get<1>(GetParam()); }
  int64_t batch_of(int32_t rank) const {
    bool is_uneven = std::get<2>(GetParam());
    return is_uneven && rank >= (ranks() + 1) / 2 ? most - 1 : most;
  }

  std::string write_rows() const {
    std::vector<float> values;
    for (int64_t i = 1; i <= rows(); ++i)
      values.push_back(float(i));
    return folder.write("x.npy", npy("<f4", text("(", rows(), ",)"), bytes_of(values)));
  }

  /// What each rank has of an evaluation on the rows 1, 2, ...
  std::vector<Evaluated> run(const std::function<Program(int64_t)> &make = program_of) const {
    std::string file = write_rows();
    std::vector<Evaluated> all(ranks());
    RankThreads{ranks()}.run([&](tutti_context *context, int32_t rank) -> std::string {
      batch = batch_of(rank), calls = 0, last_input = 0;
      Program program = make(batch);
      float x[most];
      std::vector<std::array<double, 2 * most>> results(11);
      Buffers buffers;
      buffers.evaluation_inputs = {x};
      for (std::array<double, 2 * most> &result : results)
        buffers.evaluation_results.push_back(result.data());
      data::RowGatherer samples(
          *data::Dataset::open({file})->bind(program.manifest.evaluation->inputs));
      Evaluated &own = all[rank];
      own.error = evaluate(context, program, buffers, samples, own.summary).message;
      own.calls = calls, own.last_input = last_input;
      return "";
    });
    return all;
  }

  TemporaryFolder folder;
};

INSTANTIATE_TEST_SUITE_P(RanksAndRows, Evaluation,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5),
                                          testing::Range<int64_t>(1, 22), testing::Bool()));

} // namespace

TEST_P(Evaluation, counts_every_sample_once) {
  double mean = double(rows() + 1) / 2;
  for (const Evaluated &rank : run()) {
    EXPECT_EQ(rank.error, "");
    EXPECT_EQ(rank.summary.evaluated_samples, rows());
    ASSERT_EQ(rank.summary.evaluation_metrics, 11);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[0], mean);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[1], 3 * mean);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[2], mean * double(rows())) << "a sum";
    EXPECT_EQ(rank.summary.evaluation[3], 0);
  }
}

TEST_P(Evaluation, weighs_values) {
  double n = double(rows()), sum = n * (n + 1) / 2;
  for (const Evaluated &rank : run()) {
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[4], (sum + 3 * n) / (sum + n));
    double powers = 0;
    for (int64_t i = 1; i <= rows(); ++i)
      powers += 2 / double(i);
    EXPECT_NEAR(rank.summary.evaluation[8], std::exp(powers / (sum + n)), 1e-12);
    int64_t evens = rows() / 2;
    if (evens > 0) // what has no weight may be no number
      EXPECT_DOUBLE_EQ(rank.summary.evaluation[6], double(evens + 1));
    else
      EXPECT_TRUE(std::isnan(rank.summary.evaluation[6])) << "nothing counted";
  }
}

TEST_P(Evaluation, compares_the_scores_of_all_samples) {
  double won = 0, positive = 0, negative = 0;
  for (int64_t up = 1; up <= rows(); ++up) {
    positive += label_of(up);
    negative += 1 - label_of(up);
    for (int64_t down = 1; down <= rows(); ++down)
      won += label_of(up) * (1 - label_of(down)) *
             (score_of(up) == score_of(down) ? 0.5 : score_of(up) > score_of(down));
  }
  for (const Evaluated &rank : run())
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[9], won / (positive * negative));
}

TEST_P(Evaluation, is_as_many_calls_on_every_rank) {
  int64_t window = 0, begin = 0;
  for (int32_t rank = 0; rank < ranks(); ++rank)
    window += batch_of(rank);
  int64_t turns = (rows() + window - 1) / window;
  std::vector<Evaluated> all = run();
  for (int32_t rank = 0; rank < ranks(); begin += batch_of(rank++)) {
    EXPECT_EQ(all[rank].calls, turns); // a call may have collectives
    int64_t first = (turns - 1) * window + begin, size = batch_of(rank);
    int64_t taken = std::clamp(rows() - first, int64_t(0), size);
    EXPECT_EQ(all[rank].last_input, float(taken > 0 ? first + (size - 1) % taken + 1 : rows()))
        << "rows are repeated";
  }
}

TEST_P(Evaluation, follows_from_numbers_of_batches) {
  double n = double(rows());
  std::vector<Evaluated> all = run([](int64_t batch) { return program_of_numbers(batch, false); });
  for (const Evaluated &rank : all) {
    EXPECT_EQ(rank.error, "");
    EXPECT_EQ(rank.summary.evaluated_samples, rows());
    EXPECT_NEAR(rank.summary.evaluation[0], (n + 1) / 2, 1e-12 * n);
    EXPECT_NEAR(rank.summary.evaluation[1], n * (n + 1) / 2, 1e-12 * n * n);
    EXPECT_EQ(rank.summary.evaluation[2], n);
    EXPECT_EQ(rank.summary.evaluation[3], 1);
    EXPECT_EQ(rank.calls, all.front().calls);
  }
}

TEST_P(Evaluation, leaves_out_what_fills_no_batch) {
  if (batch_of(ranks() - 1) != most)
    return; // whole batches are those of all ranks
  int64_t whole = rows() / most;
  double differences = 0;
  for (int64_t i = 0; i < most; ++i)
    for (int64_t j = 0; j < most; ++j)
      differences += double(std::abs(i - j));
  for (const Evaluated &rank : run([](int64_t batch) { return program_of_numbers(batch, true); })) {
    EXPECT_EQ(rank.summary.evaluated_samples, whole * most);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[4], whole > 0 ? differences : 0);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[0], whole > 0 ? double(whole * most + 1) / 2 : 0);
  }
}

TEST(Threads, are_tried_before_they_are_used) {
  for (int64_t count : {0, 1, 2, 17})
    EXPECT_FALSE(try_threads(count)) << count;
  std::string said = finish_fork(start_fork([] {
    pthread_attr_t large;
    pthread_attr_init(&large);
    pthread_attr_setstacksize(&large, size_t(1) << 46); // half of all addresses: two at most
    pthread_setattr_default_np(&large);
    Error error = try_threads(5);
    return text(int(error.status), " ", error.message, "; ", try_threads(1).message);
  }));
  EXPECT_THAT(said, testing::ContainsRegex("^10 cannot have 5 threads, only [12]: "));
  EXPECT_EQ(said.substr(said.size() - 2), "; ") << "one there always is";
}
