// Tables that are saved after a step while later steps change them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/TableSave.h"
#include "test/lib/execution/ServedProgram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace tutti::test;
using testing::HasSubstr;
using tutti::runtime::Error;
using tutti::runtime::servers::Aside;
using tutti::runtime::servers::RowStore;
using tutti::runtime::servers::Table;
using tutti::runtime::servers::TableSave;

namespace {

/// One step of one worker with gradients of some rows.
void push(Table &table, int64_t step, std::vector<int64_t> rows, double seconds = 60) {
  double scalars[2] = {};
  float rate = 0.5;
  std::memcpy(&scalars[0], &rate, sizeof rate);
  std::memcpy(&scalars[1], &rate, sizeof rate);
  std::mt19937 random(unsigned(step) + 1);
  std::vector<float> gradients(rows.size() * kWidth);
  for (float &gradient : gradients)
    gradient = float(random() % 1000) / 100;
  auto error = table.push(0, step, rows.data(), int64_t(rows.size()),
                          reinterpret_cast<char *>(gradients.data()),
                          {reinterpret_cast<char *>(scalars), sizeof scalars}, seconds);
  ASSERT_FALSE(error) << error.message;
}

std::vector<int64_t> rows_of(int64_t step) {
  std::vector<int64_t> rows;
  for (int64_t row = step % 3; row < kRows; row += 2 + step)
    rows.push_back(row);
  return rows;
}

/// All that a save gives.
struct Saved {
  std::vector<int64_t> indices;
  std::vector<char> values;

  explicit Saved(TableSave &save) {
    for (auto some = save.more_indices(); !some.empty(); some = save.more_indices())
      indices.insert(indices.end(), some.begin(), some.end());
    read(save);
  }
  void read(TableSave &save) {
    std::vector<int64_t> again;
    for (auto piece = save.more_rows();; piece = save.more_rows()) {
      ASSERT_TRUE(piece) << piece.error().message;
      if ((*piece)->indices.empty())
        break;
      again.insert(again.end(), (*piece)->indices.begin(), (*piece)->indices.end());
      values.insert(values.end(), (*piece)->values.begin(), (*piece)->values.end());
    }
    EXPECT_EQ(again, indices);
    EXPECT_EQ(save.count(), int64_t(indices.size()));
  }
};

/// The whole table with its states, as a pull gives it.
std::vector<char> whole(Table &table, int64_t step) {
  std::vector<int64_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<char> out(size_t(kRows * table.description().held_bytes()));
  auto error = table.pull(step, rows.data(), kRows, out.data(), 10, /*states=*/true);
  EXPECT_FALSE(error) << error.message;
  return out;
}

class Saving : public testing::Test {
protected:
  std::unique_ptr<Served> make() {
    return std::make_unique<Served>(
        compiler, programWith(kOptimizers[1].update, kOptimizers[1].states), /*lazy=*/false);
  }
  Compiler compiler;
  Aside aside;
};

} // namespace

TEST_F(Saving, GivesWhatWasThereAfterTheStep) {
  auto served = make();
  Table &table = *served->table;
  std::vector<bool> used(kRows);
  for (int64_t step = 0; step < 3; ++step) {
    push(table, step, rows_of(step));
    for (int64_t row : rows_of(step))
      used[size_t(row)] = true;
  }
  std::vector<char> before = whole(table, 3);
  TableSave save(table, 3, aside);
  ASSERT_FALSE(save.wait(1));
  for (int64_t step = 3; step < 8; ++step)
    push(table, step, rows_of(step)); // old rows change, new ones come
  Saved saved(save);
  size_t bytes = size_t(table.description().held_bytes());
  EXPECT_EQ(int64_t(saved.indices.size()), std::count(used.begin(), used.end(), true));
  for (size_t i = 0; i < saved.indices.size(); ++i) {
    size_t row = size_t(saved.indices[i]);
    EXPECT_TRUE(used[row]) << row;
    EXPECT_EQ(std::memcmp(&saved.values[i * bytes], &before[row * bytes], bytes), 0) << row;
  }
}

/// It is asked for before the step is over, and steps go on while it is read.
TEST_F(Saving, IsReadWhileStepsGoOn) {
  auto served = make(), undisturbed = make();
  Table &table = *served->table;
  for (int64_t step = 0; step < 5; ++step)
    push(*undisturbed->table, step, rows_of(step));
  TableSave save(table, 5, aside);
  EXPECT_THAT(save.wait(0.01).message, HasSubstr("after step 5, but stands after step 0"));
  std::thread training([&] {
    for (int64_t step = 0; step < 200; ++step)
      push(table, step, rows_of(step % 17));
  });
  Error error = save.wait(20);
  ASSERT_FALSE(error) << error.message;
  std::vector<int64_t> indices;
  std::vector<char> values;
  Saved saved(save);
  training.join();
  std::vector<char> expected = whole(*undisturbed->table, 5);
  // Those have the gradients of their steps, which rows_of(step) repeats only for the first 17.
  size_t bytes = size_t(table.description().held_bytes());
  for (size_t i = 0; i < saved.indices.size(); ++i)
    EXPECT_EQ(
        std::memcmp(&saved.values[i * bytes], &expected[size_t(saved.indices[i]) * bytes], bytes),
        0);
}

/// What changes faster than it is read waits, and the memory for it is bounded.
TEST_F(Saving, PushesWaitUntilRowsAsideAreRead) {
  auto served = make();
  Table &table = *served->table;
  for (int64_t step = 0; step < 3; ++step)
    push(table, step, rows_of(step));
  std::vector<char> before = whole(table, 3);
  aside.most_bytes = 1;
  TableSave save(table, 3, aside);
  ASSERT_FALSE(save.wait(1));
  push(table, 3, rows_of(0));
  EXPECT_GT(aside.bytes, 1000);
  std::thread training([&] { push(table, 4, rows_of(1)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(table.steps(), 4) << "a push did not wait";
  Saved saved(save);
  training.join();
  EXPECT_EQ(table.steps(), 5);
  EXPECT_EQ(aside.bytes, 0);
  size_t bytes = size_t(table.description().held_bytes());
  for (size_t i = 0; i < saved.indices.size(); ++i)
    EXPECT_EQ(
        std::memcmp(&saved.values[i * bytes], &before[size_t(saved.indices[i]) * bytes], bytes), 0);
}

/// A disk that hangs ends the save, not the training.
TEST_F(Saving, IsGivenUpIfNothingIsRead) {
  auto served = make();
  Table &table = *served->table;
  push(table, 0, rows_of(0));
  aside.most_bytes = 1;
  TableSave save(table, 1, aside);
  ASSERT_FALSE(save.wait(1));
  push(table, 1, rows_of(0));
  push(table, 2, rows_of(0), /*seconds=*/0.05);
  EXPECT_EQ(aside.bytes, 0);
  EXPECT_THAT(save.more_rows().error().message,
              HasSubstr("rows of table 'w' change faster than its checkpoint is written"));
}

TEST_F(Saving, CannotBeginTooLate) {
  auto served = make();
  push(*served->table, 0, {1});
  push(*served->table, 1, {1});
  TableSave save(*served->table, 1, aside);
  EXPECT_THAT(save.wait(1).message, HasSubstr("after step 1, but stands after step 2 already"));
}

TEST_F(Saving, GoesOnInAnotherTableWithTheSameBits) {
  auto served = make(), other = make();
  Table &table = *served->table, &restored = *other->table;
  push(restored, 0, {5, 6}); // what was there goes
  for (int64_t step = 0; step < 3; ++step)
    push(table, step, rows_of(step));
  TableSave save(table, 3, aside);
  ASSERT_FALSE(save.wait(1));
  Saved saved(save);
  auto error = restored.restore(3, [&](RowStore &store) {
    std::vector<int64_t> lives(saved.indices.size(), 0);
    return store.keep(saved.indices.data(), lives.data(), int64_t(saved.indices.size()),
                      saved.values.data());
  });
  ASSERT_FALSE(error) << error.message;
  EXPECT_EQ(restored.steps(), 3);
  EXPECT_EQ(whole(restored, 3), whole(table, 3));
  push(restored, 2, {5, 6}); // a step that is over comes again
  for (Table *each : {&table, &restored})
    for (int64_t step = 3; step < 6; ++step)
      push(*each, step, rows_of(step));
  EXPECT_EQ(whole(restored, 6), whole(table, 6));
}
