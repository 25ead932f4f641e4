// Which rows are kept follows from steps and pushes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowLives.h"
#include "runtime/servers/RowStore.h"
#include "runtime/support/system/MappedFile.h"
#include "test/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;
using testing::HasSubstr;
using Admission = RowLives::Admission;

namespace {

RowLives livesOf(int64_t rows, const RowRules &rules) {
  Result<RowLives> made = RowLives::make(rows, rules);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

std::vector<int64_t> goneAfter(RowLives &lives, int64_t step) {
  std::vector<int64_t> gone;
  lives.end_step(step, gone);
  return gone;
}

worker::ServedTable table() {
  worker::ServedTable table;
  table.name = "t";
  table.type = TUTTI_F32;
  table.shape = {100, 4};
  table.states = {{"sum", 0.5}};
  table.initial.distribution = worker::ServedTable::Distribution::uniform;
  table.initial.first = 1;
  table.initial.second = 2;
  return table;
}

RowStore storeOf(const StoreOptions &options) {
  auto first = FirstRows::make(table(), 7, "");
  auto store = RowStore::make(table(), std::move(*first), options);
  EXPECT_TRUE(store) << store.error().message;
  return std::move(*store);
}

std::vector<float> rowOf(RowStore &store, int64_t step, int64_t row) {
  std::vector<float> values(8);
  Error error = store.read(step, &row, 1, /*states=*/true, reinterpret_cast<char *>(values.data()));
  EXPECT_FALSE(bool(error)) << error.message;
  return values;
}

/// Adds 10 to a row that is kept; whether it is.
bool change(RowStore &store, int64_t step, int64_t row) {
  char *place = nullptr;
  Error error = store.open(step, &row, 1, &place);
  EXPECT_FALSE(bool(error)) << error.message;
  for (int i = 0; place && i < 8; ++i)
    reinterpret_cast<float *>(place)[i] += 10;
  error = store.end_step(step);
  EXPECT_FALSE(bool(error)) << error.message;
  return place != nullptr;
}

std::vector<float> plus(std::vector<float> values, float more) {
  for (float &value : values)
    value += more;
  return values;
}

} // namespace

TEST(RowLives, ARowIsKeptFromItsNthPushOn) {
  RowLives lives = livesOf(10, {/*admit_after=*/3, 0});
  EXPECT_EQ(lives.push(4, 0), Admission::counted);
  EXPECT_EQ(lives.push(4, 5), Admission::counted);
  EXPECT_EQ(lives.push(5, 5), Admission::counted);
  EXPECT_FALSE(lives.has(4, 6));
  EXPECT_EQ(lives.push(4, 6), Admission::fresh);
  EXPECT_TRUE(lives.has(4, 7));
  EXPECT_EQ(lives.push(4, 900), Admission::known);
  EXPECT_EQ(lives.used(), 1);
  EXPECT_EQ(lives.admitted(), 1);
}

TEST(RowLives, ARowEndsAfterStepsWithoutAPush) {
  RowLives lives = livesOf(1000, {1, /*evict_after=*/4});
  EXPECT_EQ(lives.push(7, 10), Admission::fresh);
  for (int64_t step = 11; step <= 14; ++step)
    EXPECT_TRUE(lives.has(7, step)) << step; // before step 14 there were 3 without a push
  EXPECT_FALSE(lives.has(7, 15));
  EXPECT_EQ(lives.push(7, 14), Admission::known);
  EXPECT_TRUE(lives.has(7, 18));
  EXPECT_EQ(lives.push(7, 19), Admission::fresh); // it had ended; nobody has looked
  EXPECT_EQ(lives.evicted(), 1);
  EXPECT_THAT(goneAfter(lives, 19), testing::IsEmpty());
  // Rows that nobody asks for are found, too: all are looked at in as many steps.
  std::vector<int64_t> gone;
  for (int64_t step = 20; step < 28; ++step)
    lives.end_step(step, gone);
  EXPECT_EQ(gone, std::vector<int64_t>{7});
  EXPECT_EQ(lives.used(), 0);
  EXPECT_EQ(lives.evicted(), 2);
}

TEST(RowLives, RulesThatChangeEndNoRowAtOnce) {
  RowRules none, admitted = {3, 0}, few = {1, 10}, many = {1, 100};
  constexpr int64_t step = 500;
  EXPECT_EQ(RowLives::carry(std::nullopt, none, few, step), 499);
  EXPECT_EQ(RowLives::carry(0, admitted, few, step), 499); // nobody wrote down when it was pushed
  EXPECT_EQ(RowLives::carry(450, many, many, step), 450);
  EXPECT_EQ(RowLives::carry(450, many, few, step), 499);
  EXPECT_EQ(RowLives::carry(495, many, few, step), 495);
  EXPECT_EQ(RowLives::carry(495, few, many, step), 495);
  EXPECT_EQ(RowLives::carry(495, few, none, step), 495);
  EXPECT_EQ(RowLives::carry(-2, admitted, {5, 10}, step), -2); // pushes are counted on
  EXPECT_EQ(RowLives::carry(520, few, few, step), 499);        // by a worker that was ahead
  constexpr int64_t wrapped = (int64_t(1) << 32) + 3;
  EXPECT_EQ(RowLives::carry(UINT32_MAX, few, few, wrapped), UINT32_MAX);
  for (const RowRules &rules : {few, many, RowRules{2, 7}}) {
    RowLives lives = livesOf(10, rules);
    ASSERT_TRUE(lives.restore(4, RowLives::carry(0, admitted, rules, step)));
    EXPECT_TRUE(lives.has(4, step));
    EXPECT_THAT(goneAfter(lives, step), testing::IsEmpty());
  }
}

TEST(RowLives, AnEvictedRowIsAdmittedAnew) {
  RowLives lives = livesOf(100, {/*admit_after=*/2, /*evict_after=*/3});
  lives.push(1, 0);
  EXPECT_EQ(lives.push(1, 1), Admission::fresh);
  EXPECT_EQ(lives.push(1, 10), Admission::counted);
  EXPECT_EQ(goneAfter(lives, 10), std::vector<int64_t>{1});
  EXPECT_FALSE(lives.has(1, 11));
  EXPECT_EQ(lives.push(1, 11), Admission::fresh);
  EXPECT_EQ(lives.admitted(), 2);
}

TEST(RowLives, StepsMayBeManyMoreThanACounterHolds) {
  RowLives lives = livesOf(100, {1, /*evict_after=*/5});
  int64_t step = (int64_t(1) << 32) - 2;
  lives.push(1, step);
  EXPECT_TRUE(lives.has(1, step + 5));
  EXPECT_FALSE(lives.has(1, step + 6));
}

TEST(RowLives, RulesAreChecked) {
  for (RowRules rules : {RowRules{0, 0}, {65536, 0}, {1, -1}, {1, int64_t(1) << 31}})
    EXPECT_THAT(RowLives::make(10, rules).error().message,
                HasSubstr("rows are kept from push 1 to 65535 on"));
}

/// What is not kept is what it was at first, and takes no memory.
TEST(RowStore, ReadingKeepsNothing) {
  RowStore store = storeOf({});
  std::vector<float> first = rowOf(store, 0, 42);
  EXPECT_EQ(first[4], 0.5f);
  EXPECT_NE(first, rowOf(store, 0, 43));
  EXPECT_EQ(store.statistics().used, 0);
  EXPECT_EQ(store.statistics().resident_bytes, 0);
  EXPECT_TRUE(change(store, 0, 42));
  EXPECT_EQ(rowOf(store, 1, 42), plus(first, 10));
  EXPECT_EQ(store.statistics().used, 1);
}

TEST(RowStore, RulesHoldWhereverRowsAre) {
  TemporaryFolder files;
  for (const char *text : {"memory", "file:", "rocksdb:"}) {
    StoreOptions options;
    options.storage =
        *StorageChoice::parse(text == std::string("memory") ? text : text + files.path("."));
    options.rules = {/*admit_after=*/2, /*evict_after=*/3};
    RowStore store = storeOf(options);
    std::vector<float> first = rowOf(store, 0, 42);
    EXPECT_FALSE(change(store, 0, 42));
    EXPECT_EQ(rowOf(store, 1, 42), first);
    EXPECT_TRUE(change(store, 1, 42));
    EXPECT_TRUE(change(store, 4, 42)); // two without a push
    EXPECT_EQ(rowOf(store, 5, 42), plus(plus(first, 10), 10));
    EXPECT_EQ(rowOf(store, 8, 42), first);
    EXPECT_FALSE(change(store, 8, 42));
    EXPECT_TRUE(change(store, 9, 42));
    EXPECT_EQ(rowOf(store, 10, 42), plus(first, 10));
    StoreStatistics all = store.statistics();
    EXPECT_EQ(all.used, 1);
    EXPECT_EQ(all.admitted, 2);
    EXPECT_EQ(all.evicted, 1);
  }
}

/// A file of first values is let go of again and again.
TEST(RowStore, GivenRowsAreReadFromTheirFile) {
  worker::ServedTable given = table();
  given.initial.distribution = worker::ServedTable::Distribution::given;
  given.shape = {5000, 4};
  std::vector<float> values(5000 * 4);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  std::string_view bytes(reinterpret_cast<char *>(values.data()), values.size() * sizeof(float));
  TemporaryFolder files;
  auto file = MappedFile::open(files.write("first", std::string(bytes)));
  ASSERT_TRUE(file) << file.error().message;
  auto first = FirstRows::make(given, 7, (*file)->bytes(), /*is_mapped=*/true);
  StoreOptions options;
  options.storage = {StorageChoice::Kind::file, files.path("."), 1 << 16};
  auto store = RowStore::make(given, std::move(*first), options);
  ASSERT_TRUE(store) << store.error().message;
  for (int64_t row = 0; row < 5000; ++row)
    ASSERT_EQ(rowOf(*store, 0, row),
              (std::vector<float>{float(4 * row), float(4 * row + 1), float(4 * row + 2),
                                  float(4 * row + 3), 0.5f, 0.5f, 0.5f, 0.5f}));
}
