// Which samples each rank sees: every policy, every mode, over whole epochs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/BatchLoader.h"
#include "runtime/host/data/Epoch.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

using namespace tutti::runtime;
using namespace tutti::runtime::data;

namespace {

using List = std::vector<int64_t>;

class BatchLoaderTest : public testing::Test {
protected:
  /// A dataset whose row i holds {i, -i}.
  Dataset make_dataset(int64_t rows) {
    std::vector<float> values;
    for (int64_t i = 0; i < rows; ++i)
      values.insert(values.end(), {float(i), float(-i)});
    std::string path = folder.write("x.npy", npy("<f4", text("(", rows, ", 2)"), bytes_of(values)));
    return *Dataset::open({path});
  }

  BatchLoader loader(int64_t rows, const BatchPlan &plan) {
    return *BatchLoader::make(make_dataset(rows), {{"x", TUTTI_F32, {1, 2}}}, plan);
  }

  TemporaryFolder folder;
};

BatchPlan plan(Shard shard, int64_t window, bool is_shuffled = false) {
  return {shard, window, 7, {is_shuffled}};
}

} // namespace

TEST(Epoch, is_a_permutation_that_depends_on_seed_and_epoch) {
  List order = epoch_order(100, 1, 0, true), sorted = order, plain(100);
  std::iota(plain.begin(), plain.end(), 0);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, plain);
  EXPECT_NE(order, plain);
  EXPECT_EQ(order, epoch_order(100, 1, 0, true));
  EXPECT_NE(order, epoch_order(100, 2, 0, true));
  EXPECT_NE(order, epoch_order(100, 1, 1, true));
  EXPECT_EQ(epoch_order(100, 1, 0, false), plain);
  EXPECT_EQ(epoch_order(0, 1, 0, true), List());
}

TEST_F(BatchLoaderTest, fills_buffers_with_the_rows_of_the_step) {
  BatchLoader batches = loader(10, plan({TUTTI_SHARD_STRIDED, 1, 2, 4}, 4));
  EXPECT_EQ(batches.rows_of(1), (List{5, 7}));
  std::vector<float> buffer(4);
  void *buffers[] = {buffer.data()};
  ASSERT_FALSE(batches.load(1, buffers));
  EXPECT_EQ(buffer, (std::vector<float>{5, -5, 7, -7}));
}

TEST_F(BatchLoaderTest, puts_samples_along_the_axis_of_the_input) {
  BatchPlan every = plan({TUTTI_SHARD_STRIDED, 0, 1, 2}, 2);
  auto batches =
      *BatchLoader::make(make_dataset(4), {{"x", TUTTI_F32, {2, 2}, {}, false, 1}}, every);
  std::vector<float> buffer(4);
  void *buffers[] = {buffer.data()};
  ASSERT_FALSE(batches.load(1, buffers));
  EXPECT_EQ(buffer, (std::vector<float>{2, 3, -2, -3}));
  std::vector<int64_t> wide(4); // the same where values are cast on the way
  auto cast = *BatchLoader::make(make_dataset(4), {{"x", TUTTI_I64, {2, 2}, {}, false, 1}}, every);
  void *casts[] = {wide.data()};
  ASSERT_FALSE(cast.load(1, casts));
  EXPECT_EQ(wide, (std::vector<int64_t>{2, 3, -2, -3}));
}

TEST_F(BatchLoaderTest, fills_buffers_in_the_type_of_the_program) {
  std::string path =
      folder.write("y.npy", npy("|u1", "(4, 2)", "\x01\x02\x03\x04\x05\x06\x07\xff"));
  Result<Dataset> dataset = Dataset::open({path});
  Result<BatchLoader> made = BatchLoader::make(*dataset, {{"y", TUTTI_F32, {2, 2}}},
                                               plan({TUTTI_SHARD_STRIDED, 1, 2, 4}, 4));
  ASSERT_TRUE(made) << made.error().message;
  std::vector<float> buffer(4);
  void *buffers[] = {buffer.data()};
  ASSERT_FALSE(made->load(0, buffers));
  EXPECT_EQ(buffer, (std::vector<float>{3, 4, 7, 255}));
}

TEST_F(BatchLoaderTest, drops_the_incomplete_batch_and_counts_it) {
  BatchLoader batches = loader(10, plan({TUTTI_SHARD_CONTIGUOUS, 0, 2, 4}, 4));
  EXPECT_EQ(batches.steps_per_epoch(), 2);
  EXPECT_EQ(batches.dropped_per_epoch(), 2);
  EXPECT_EQ(batches.repeated_per_step(), 0);
  EXPECT_EQ(batches.epoch_of(1), 0);
  EXPECT_EQ(batches.epoch_of(2), 1);
  EXPECT_EQ(batches.rows_of(2), (List{0, 1})) << "the next epoch begins again";
}

TEST_F(BatchLoaderTest, ranks_together_see_what_one_rank_sees) {
  for (int32_t mode : {TUTTI_SHARD_STRIDED, TUTTI_SHARD_CONTIGUOUS})
    for (int64_t ranks : {1, 2, 3, 4, 8})
      for (int64_t step : {0, 3, 4, 9}) {
        BatchLoader alone = loader(50, plan({TUTTI_SHARD_NONE, 0, 1, 12}, 12, true));
        List expected = alone.rows_of(step), together(12);
        for (int64_t rank = 0; rank < ranks; ++rank) {
          Shard shard = {mode, rank, ranks, 12};
          BatchLoader one = loader(50, plan(shard, 12, true));
          const List &rows = one.rows_of(step);
          for (size_t i = 0; i < rows.size(); ++i)
            together[shard.global_sample(i)] = rows[i];
        }
        EXPECT_EQ(together, expected) << mode << " " << ranks << " " << step;
      }
}

TEST_F(BatchLoaderTest, padding_repeats_the_first_samples_of_the_batch) {
  // A global batch of 4 on 3 ranks: 6 samples, of which 2 come again.
  List seen;
  for (int64_t rank = 0; rank < 3; ++rank) {
    BatchLoader one = loader(9, plan({TUTTI_SHARD_CONTIGUOUS, rank, 3, 6}, 4));
    EXPECT_EQ(one.steps_per_epoch(), 2);
    EXPECT_EQ(one.repeated_per_step(), 2);
    for (int64_t row : one.rows_of(1))
      seen.push_back(row);
  }
  EXPECT_EQ(seen, (List{4, 5, 6, 7, 4, 5}));
}

TEST_F(BatchLoaderTest, padding_may_go_round_more_than_once) {
  BatchLoader last = loader(4, plan({TUTTI_SHARD_STRIDED, 4, 5, 5}, 2));
  EXPECT_EQ(last.rows_of(0), (List{0}));
}

TEST_F(BatchLoaderTest, refuses_less_than_one_batch) {
  Result<BatchLoader> made = BatchLoader::make(make_dataset(3), {{"x", TUTTI_F32, {1, 2}}},
                                               plan({TUTTI_SHARD_NONE, 0, 1, 4}, 4));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message,
              testing::HasSubstr("has 3 samples, too few for one global batch of 4"));
}

TEST_F(BatchLoaderTest, passes_on_that_an_array_is_missing) {
  Result<BatchLoader> made = BatchLoader::make(make_dataset(3), {{"z", TUTTI_F32, {1, 2}}},
                                               plan({TUTTI_SHARD_NONE, 0, 1, 1}, 1));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, testing::HasSubstr("has no array 'z'"));
}
