// Evaluation: every sample counts once, whatever the batch and the number of ranks. And threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/worker/Evaluation.h"
#include "runtime/worker/Threads.h"
#include "test/runtime/Fork.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/RankThreads.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <tuple>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

constexpr int64_t batch = 4;
thread_local int64_t calls;
thread_local float last_input;

/// Metrics of each row x: x itself, {2 x, 4 x}, x as an integer, and one without values.
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

class Evaluation : public testing::TestWithParam<std::tuple<int32_t, int64_t>> {
protected:
  Evaluation() {
    program.evaluate = evaluate_rows;
    program.manifest.evaluation = Manifest::Evaluation{
        {},
        batch,
        {tensor("x", TUTTI_F32, {batch})},
        {tensor("same", TUTTI_F32, {batch}), tensor("pair", TUTTI_F64, {batch, 2}),
         tensor("whole", TUTTI_I32, {batch}), tensor("none", TUTTI_F32, {batch, 0})}};
  }
  int32_t ranks() const { return std::get<0>(GetParam()); }
  int64_t rows() const { return std::get<1>(GetParam()); }

  /// What each rank has of an evaluation on the rows 1, 2, ...
  std::vector<Evaluated> run() const {
    std::vector<float> values;
    for (int64_t i = 1; i <= rows(); ++i)
      values.push_back(float(i));
    std::string file = folder.write("x.npy", npy("<f4", text("(", rows(), ",)"), bytes_of(values)));
    std::vector<Evaluated> all(ranks());
    RankThreads{ranks()}.run([&](tutti_context *context, int32_t rank) -> std::string {
      float x[batch], same[batch], none;
      double pair[2 * batch];
      int32_t whole[batch];
      Buffers buffers;
      buffers.evaluation_inputs = {x};
      buffers.evaluation_results = {same, pair, whole, &none};
      calls = 0, last_input = 0;
      Evaluated &own = all[rank];
      own.error =
          evaluate(context, program, buffers, *data::Dataset::open({file}), own.summary).message;
      own.calls = calls, own.last_input = last_input;
      return "";
    });
    return all;
  }

  Program program;
  TemporaryFolder folder;
};

INSTANTIATE_TEST_SUITE_P(RanksAndRows, Evaluation,
                         testing::Combine(testing::Values(1, 2, 3, 5),
                                          testing::Values(1, 4, 5, 12, 13, 40)));

} // namespace

TEST_P(Evaluation, counts_every_sample_once) {
  double mean = double(rows() + 1) / 2;
  for (const Evaluated &rank : run()) {
    EXPECT_EQ(rank.error, "");
    EXPECT_EQ(rank.summary.evaluated_samples, rows());
    ASSERT_EQ(rank.summary.evaluation_metrics, 4);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[0], mean);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[1], 3 * mean);
    EXPECT_DOUBLE_EQ(rank.summary.evaluation[2], mean);
    EXPECT_EQ(rank.summary.evaluation[3], 0);
  }
}

TEST_P(Evaluation, is_as_many_calls_on_every_rank) {
  int64_t batches = (rows() + batch - 1) / batch, turns = (batches + ranks() - 1) / ranks();
  std::vector<Evaluated> all = run();
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    EXPECT_EQ(all[rank].calls, turns); // a call may have collectives
    int64_t end = ((turns - 1) * ranks() + rank + 1) * batch;
    EXPECT_EQ(all[rank].last_input, float(std::min(end, rows()))) << "the last row is repeated";
  }
}

TEST_P(Evaluation, names_what_the_dataset_lacks) {
  program.manifest.evaluation->inputs[0].name = "labels";
  program.manifest.evaluation->inputs.push_back(tensor("x", TUTTI_F32, {batch}));
  for (const Evaluated &rank : run()) {
    EXPECT_THAT(rank.error, HasSubstr("'labels'"));
    EXPECT_EQ(rank.calls, 0);
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
