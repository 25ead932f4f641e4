// Every step gets its batch, whenever that was loaded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/NextBatch.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/RankThreads.h"
#include "test/runtime/TemporaryFolder.h"

#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;

namespace {

thread_local std::vector<float> asked; ///< the first value of each batch that @prefetch was told of

int32_t record_batch(tutti_context *, void *const *, void *const *inputs, void *const *, void *) {
  asked.push_back(*static_cast<const float *>(inputs[0]));
  return TUTTI_OK;
}

/// Rows of equal values 0, 1, 2 ..., four a batch, in their order.
class NextBatchTest : public testing::TestWithParam<std::tuple<int64_t, bool, bool>> {
protected:
  static constexpr int64_t rows = 40, samples = 4;

  NextBatchTest() {
    std::vector<float> values;
    for (int64_t row = 0; row < rows; ++row)
      values.insert(values.end(), size_t(width()), float(row));
    file = folder.write("x.npy", npy("<f4", text("(", rows, ", ", width(), ")"), bytes_of(values)));
    Tensor input;
    input.name = "x", input.type = TUTTI_F32, input.shape = {samples, width()};
    program.manifest.inputs = {input};
    Hyperparameter rate;
    rate.tensor.name = "rate", rate.tensor.type = TUTTI_F32;
    program.manifest.hyperparameters = {rate};
    program.prefetch = std::get<1>(GetParam()) ? record_batch : nullptr;
  }

  static int64_t width() { return std::get<0>(GetParam()); }
  static bool has_prefetch() { return std::get<1>(GetParam()); }
  static bool may_load_beside() { return std::get<2>(GetParam()); }
  /// Of which 64 KiB have room for four.
  static bool is_large() { return width() >= 4096; }

  data::BatchLoader loader() const {
    data::BatchPlan plan;
    plan.shard = {TUTTI_SHARD_NONE, 0, 1, samples};
    plan.window = samples;
    plan.shuffling.is_shuffled = false;
    data::InputSpec input = {"x", TUTTI_F32, {samples, width()}};
    return *data::BatchLoader::make(*data::Dataset::open({file}), {input}, plan);
  }

  TemporaryFolder folder;
  std::string file;
  Program program;
};

} // namespace

TEST_P(NextBatchTest, gives_every_step_its_batch) {
  RankThreads one;
  auto complaints = one.run([&](tutti_context *context, int32_t) -> std::string {
    Buffers buffers = Buffers::allocate(context, program.manifest);
    void *rate = buffers.inputs[1];
    data::BatchLoader batches = loader();
    NextBatch next(context, program, batches, buffers, may_load_beside());
    asked.clear();
    std::vector<float> expected;
    for (int64_t step : {0, 1, 2, 5, 6, 3, 9, 10}) { // ten steps an epoch
      next.load(step, 11);
      const float *values = static_cast<const float *>(buffers.inputs[0]);
      for (int64_t sample = 0; sample < samples; ++sample)
        for (int64_t i : {int64_t(0), width() - 1})
          EXPECT_EQ(values[sample * width() + i], float(step * samples % rows + sample)) << step;
      EXPECT_EQ(buffers.inputs[1], rate);
      if (has_prefetch() && step + 1 < 11)
        expected.push_back(float((step + 1) * samples % rows));
    }
    EXPECT_EQ(asked, expected);
    EXPECT_EQ(next.seconds_beside() > 0, is_large() && may_load_beside());
    return tutti_context_message(context);
  });
  EXPECT_EQ(complaints, one.content());
}

INSTANTIATE_TEST_SUITE_P(Sizes, NextBatchTest,
                         testing::Combine(testing::Values(1, 4095, 4096, 20000), testing::Bool(),
                                          testing::Bool()));
