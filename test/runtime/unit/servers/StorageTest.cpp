// Rows come back bit for bit, wherever they are kept, and take no more memory than they may.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/storage/PageClock.h"
#include "runtime/servers/storage/RowCache.h"
#include "runtime/servers/storage/RowPlaces.h"
#include "runtime/servers/storage/RowStorage.h"
#include "test/runtime/TemporaryFolder.h"

#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace tutti::runtime;
using namespace tutti::runtime::servers;
using testing::HasSubstr;

namespace {

struct Case {
  const char *name;
  StorageChoice::Kind kind;
  int64_t cache_bytes;
};

constexpr Case cases[] = {
    {"memory", StorageChoice::Kind::memory, 0},
    {"file", StorageChoice::Kind::file, 0},
    {"bounded_file", StorageChoice::Kind::file, 32 * page_bytes},
    {"rocksdb", StorageChoice::Kind::rocksdb, 0},
    {"bounded_rocksdb", StorageChoice::Kind::rocksdb, 32 * page_bytes},
};

/// A storage, and what it should hold.
class Pair {
public:
  Pair(const Case &kind, int64_t rows, int64_t bytes) : format{"t", rows, bytes} {
    Result<std::unique_ptr<RowStorage>> made =
        RowStorage::make({kind.kind, files.path(""), kind.cache_bytes}, format);
    EXPECT_TRUE(made) << made.error().message;
    storage = std::move(*made);
    Result<LazyBits> bits = LazyBits::make(rows);
    kept = std::move(*bits);
  }

  /// Opens rows, compares those that are known, and changes them.
  void visit(const std::vector<int64_t> &rows, bool changes, std::mt19937_64 &random) {
    auto is_new = std::make_unique<bool[]>(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      is_new[i] = !kept[rows[i]];
      kept.set(rows[i]);
    }
    std::vector<char *> places(rows.size());
    Error error =
        storage->open({rows.data(), is_new.get(), int64_t(rows.size()), changes}, places.data());
    ASSERT_FALSE(bool(error)) << error.message;
    for (size_t i = 0; i < rows.size(); ++i) {
      std::string &known = content[rows[i]];
      std::string now(places[i], size_t(format.bytes));
      if (!is_new[i]) {
        ASSERT_EQ(now, known) << "row " << rows[i];
      }
      if (!changes && !is_new[i])
        continue;
      known.resize(size_t(format.bytes));
      for (char &byte : known)
        byte = char(random());
      std::memcpy(places[i], known.data(), known.size());
    }
  }

  void forget(const std::vector<int64_t> &rows) {
    for (int64_t row : rows)
      kept.reset(row), content.erase(row);
    Error error = storage->forget(rows.data(), int64_t(rows.size()));
    ASSERT_FALSE(bool(error)) << error.message;
  }

  TemporaryFolder files;
  RowFormat format;
  std::unique_ptr<RowStorage> storage;
  LazyBits kept;
  std::map<int64_t, std::string> content;
};

class Storages : public testing::TestWithParam<Case> {};

} // namespace

/// Rows that divide a page and rows that do not, some of more than a page.
TEST_P(Storages, GiveBackWhatWasWritten) {
  for (int64_t bytes : {16, 128, 300, 5000}) {
    std::mt19937_64 random(static_cast<uint64_t>(bytes));
    Pair pair(GetParam(), 1000, bytes);
    for (int round = 0; round < 300; ++round) {
      std::vector<int64_t> rows;
      int64_t most = std::min<int64_t>(40, pair.storage->most_rows());
      for (int64_t i = int64_t(random() % uint64_t(most)); i >= 0; --i)
        rows.push_back(int64_t(random() % 1000));
      bool changes = random() % 2;
      if (changes) { // then they are distinct
        std::sort(rows.begin(), rows.end());
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
      }
      ASSERT_NO_FATAL_FAILURE(pair.visit(rows, changes || round < 3, random)) << bytes;
      if (round % 7 == 0) {
        ASSERT_NO_FATAL_FAILURE(pair.forget({rows.begin(), rows.begin() + 1}));
      }
    }
  }
}

TEST_P(Storages, KeepToTheirBound) {
  std::mt19937_64 random(1);
  Pair pair(GetParam(), 10000, 128);
  int64_t most = 0;
  int64_t some = std::min<int64_t>(100, pair.storage->most_rows());
  for (int64_t begin = 0; begin < 10000; begin += some) {
    std::vector<int64_t> rows;
    for (int64_t row = begin; row < std::min<int64_t>(begin + some, 10000); ++row)
      rows.push_back(row);
    ASSERT_NO_FATAL_FAILURE(pair.visit(rows, true, random));
    most = std::max(most, pair.storage->statistics().resident_bytes);
  }
  StorageStatistics all = pair.storage->statistics();
  if (GetParam().kind == StorageChoice::Kind::file && GetParam().cache_bytes > 0) {
    EXPECT_LE(most, GetParam().cache_bytes);
    EXPECT_GT(all.stored_bytes, 1000000);
  } else if (GetParam().kind == StorageChoice::Kind::rocksdb && GetParam().cache_bytes > 0) {
    EXPECT_LE(most, 3 << 20); // RocksDB takes some of its own
    EXPECT_GT(all.stored_bytes, 1000000);
  } else if (GetParam().kind == StorageChoice::Kind::memory) {
    EXPECT_EQ(all.stored_bytes, 0);
    EXPECT_EQ(most, 10000 * 128 + 10 * page_bytes); // and where they are
  }
}

TEST_P(Storages, LeaveNothingBehind) {
  Pair pair(GetParam(), 100, 128);
  pair.storage.reset();
  EXPECT_EQ(pair.files.files(), 0u);
}

/// Rows that are forgotten make room for others.
TEST_P(Storages, UseRoomAgain) {
  std::mt19937_64 random(1);
  Pair pair(GetParam(), 10000, 1024);
  for (int64_t row = 0; row < 10000; row += 2) {
    ASSERT_NO_FATAL_FAILURE(pair.visit({row, row + 1}, true, random));
    ASSERT_NO_FATAL_FAILURE(pair.forget({row, row + 1}));
  }
  StorageStatistics all = pair.storage->statistics();
  EXPECT_LT(all.resident_bytes, 2 << 20); // RocksDB takes some of its own
  if (GetParam().kind == StorageChoice::Kind::file) {
    EXPECT_LE(all.stored_bytes, page_bytes);
  }
}

/// Like a map, from few rows of a large table to all of a small one.
TEST(RowPlaces, AreFoundWhateverCameAndWent) {
  for (int64_t rows : {int64_t(1), int64_t(1000), int64_t(300000), int64_t(1) << 33}) {
    std::mt19937_64 random(rows);
    Result<RowPlaces> places = RowPlaces::make(rows);
    ASSERT_TRUE(bool(places));
    std::map<int64_t, uint32_t> wanted;
    for (uint32_t number = 1; number < 60000; ++number) {
      // Many neighbours, as ids of users are, and some from anywhere.
      int64_t row = int64_t(random() % (random() % 4 == 0 ? uint64_t(rows) : 5000)) % rows;
      auto found = wanted.find(row);
      ASSERT_EQ(places->find(row), found == wanted.end() ? 0 : found->second);
      if (found == wanted.end()) {
        ASSERT_TRUE(places->set(row, number));
        wanted[row] = number;
      } else if (random() % 2) {
        places->erase(row);
        wanted.erase(found);
      }
    }
    for (auto [row, number] : wanted)
      ASSERT_EQ(places->find(row), number);
    int64_t array = (rows * 4 + page_bytes - 1) / page_bytes * page_bytes;
    EXPECT_LE(places->bytes(), std::max<int64_t>(array, 64 * 8)) << rows;
  }
}

/// A table of which few rows are used takes memory for these.
TEST(MemoryStorage, IsAsLargeAsTheRowsThatAreKept) {
  std::mt19937_64 random(1);
  Pair pair({"memory", StorageChoice::Kind::memory, 0}, 100000000, 128);
  for (int64_t row = 0; row < 100000000; row += 100000) {
    ASSERT_NO_FATAL_FAILURE(pair.visit({row}, true, random));
  }
  EXPECT_EQ(pair.storage->statistics().resident_bytes, 1000 * 128 + 2048 * 8);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Storages, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

namespace {
/// Pages of files in the memory of this process.
int64_t resident_file_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("RssFile:", 0) == 0)
      return std::atoll(line.c_str() + 8) * 1024;
  return -1;
}
/// A row that could not be read is not there the next time either, with whatever its memory held.
TEST(Storage, WhatFailedOnceFailsEverAfter) {
  Pair pair({"rocksdb", StorageChoice::Kind::rocksdb, 0}, /*rows=*/64, /*bytes=*/16);
  std::mt19937_64 random(1);
  pair.visit({1, 2, 3}, /*changes=*/true, random);
  const int64_t unwritten = 7, whole = 1;
  const bool is_new = false;
  char *place = nullptr;
  Error first = pair.storage->open({&unwritten, &is_new, 1, /*changes=*/false}, &place);
  EXPECT_THAT(first.message, HasSubstr("cannot keep rows of table 't' with RocksDB in"));
  for (const int64_t *row : {&unwritten, &whole})
    EXPECT_EQ(pair.storage->open({row, &is_new, 1, /*changes=*/false}, &place).message,
              first.message);
  EXPECT_EQ(pair.storage->forget(&whole, 1).message, first.message);
}

/// Files are few; tables may be many.
TEST(Storage, TablesShareTheFilesOfTheirProcess) {
  int alone = StorageChoice::share_of_open_files(1),
      of_many = StorageChoice::share_of_open_files(200);
  EXPECT_LE(alone, StorageChoice::most_open_files);
  EXPECT_LE(of_many, alone);
  EXPECT_GE(of_many, 24);
}

} // namespace

/// What the system says of this process, not what the storage says of itself.
TEST(FileStorage, LeavesMemory) {
  std::mt19937_64 random(1);
  constexpr int64_t rows = 1 << 18, bytes = 256, bound = 4 << 20; // 64 MiB, of which 4 may be here
  Pair pair({"file", StorageChoice::Kind::file, bound}, rows, bytes);
  int64_t before = resident_file_bytes(), most = 0;
  ASSERT_GT(before, 0);
  for (int round = 0; round < 1500; ++round) {
    std::vector<int64_t> some;
    for (int i = 0; i < 100; ++i)
      some.push_back(int64_t(random() % rows));
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    ASSERT_NO_FATAL_FAILURE(pair.visit(some, round % 2, random));
    most = std::max(most, resident_file_bytes());
  }
  EXPECT_GT(pair.storage->statistics().stored_bytes, rows * bytes / 3);
  EXPECT_GT(most - before, bound / 2);
  EXPECT_LT(most - before, bound + (1 << 20));
}

TEST(FileStorage, SaysWhatItCannotDo) {
  TemporaryFolder files;
  auto refuse = [&](const StorageChoice &choice, const RowFormat &format) {
    return RowStorage::make(choice, format).error().message;
  };
  constexpr auto file = StorageChoice::Kind::file;
  EXPECT_THAT(refuse({file, files.path("none"), 0}, {"t", 10, 16}),
              testing::AllOf(HasSubstr("cannot make a file of 4096 bytes in '"),
                             HasSubstr("none': No such file or directory")));
  EXPECT_THAT(refuse({file, files.path(""), 4096}, {"t", 10, 5000}),
              HasSubstr("table 't' gets 4096 bytes of memory; with rows and states of 5000 "
                        "bytes it takes 24576"));
  EXPECT_THAT(refuse({file, files.path(""), 0}, {"t", INT64_MAX / 8, 16}),
              HasSubstr("no addresses for table 't'"));
  EXPECT_THAT(refuse({StorageChoice::Kind::rocksdb, files.path("none"), 0}, {"t", 10, 16}),
              HasSubstr("cannot make a folder in '"));
}

TEST(StorageChoice, IsReadFromText) {
  EXPECT_EQ(StorageChoice::parse("memory")->kind, StorageChoice::Kind::memory);
  auto file = StorageChoice::parse("file:/a:b");
  EXPECT_EQ(file->kind, StorageChoice::Kind::file);
  EXPECT_EQ(file->folder, "/a:b");
  EXPECT_EQ(StorageChoice::parse("rocksdb:x")->kind, StorageChoice::Kind::rocksdb);
  for (const char *text : {"", "file", "file:", "memory:x", "rocksdb", "disk:x", "File:x"})
    EXPECT_THAT(StorageChoice::parse(text).error().message, HasSubstr(text + std::string("'")));
}

TEST(PageClock, TakesThoseThatNobodyAskedFor) {
  Result<PageClock> made = PageClock::make(100, 8);
  PageClock clock = std::move(*made);
  std::vector<PageRange> leaving;
  for (int64_t page = 0; page < 8; ++page)
    EXPECT_FALSE(clock.want(page));
  clock.make_room(leaving);
  EXPECT_TRUE(leaving.empty());
  clock.release();
  EXPECT_FALSE(clock.want(50));
  EXPECT_TRUE(clock.want(3)); // held while there is no room
  EXPECT_EQ(clock.missing(), std::vector<int64_t>{50});
  clock.make_room(leaving);
  ASSERT_EQ(leaving.size(), 1u);
  EXPECT_EQ(leaving[0].first, 0);
  EXPECT_EQ(leaving[0].end, 1);
  EXPECT_EQ(clock.resident(), 8);
  clock.release();
  EXPECT_FALSE(clock.want(0));
}

TEST(RowCache, FindsRowsWhateverIsRemoved) {
  Result<RowCache> made = RowCache::make(8, 40 * 37);
  RowCache cache = std::move(*made);
  std::map<int64_t, int64_t> known;
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    int64_t row = int64_t(random() % 100);
    auto found = known.find(row);
    ASSERT_EQ(cache.find(row), found == known.end() ? RowCache::none : found->second);
    if (found != known.end() && random() % 2) {
      cache.remove(found->second);
      known.erase(found);
    } else if (found == known.end()) {
      if (cache.used() == cache.slots()) {
        int64_t oldest = cache.oldest();
        known.erase(cache.row(oldest));
        cache.remove(oldest);
      }
      known[row] = cache.insert(row);
      ASSERT_EQ(cache.row(known[row]), row);
    }
    ASSERT_EQ(cache.used(), int64_t(known.size()));
  }
}
