// The limit of the cache of compiled programs, and that its folder is rarely listed for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Cache.h"
#include "test/runtime/TemporaryFolder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using testing::IsEmpty;
using tutti::execution::Cache;

namespace {

constexpr uint64_t kEntryBytes = 1000; // of an entry, with its checksum
constexpr uint64_t kAmple = 1 << 30;

std::string contentOf(char letter) { return std::string(kEntryBytes - 78, letter); }

/// A folder whose listings leave a trace: each removes the lock that a killed process left.
class CacheLimit : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::permissions(folder.path("."), std::filesystem::perms::owner_all);
  }

  void insert(const std::string &key, uint64_t limit) {
    Cache cache(folder.path("."), limit);
    cache.insert(key, contentOf('x'));
    EXPECT_THAT(cache.remarks(), IsEmpty());
  }

  bool has(const std::string &key) { return std::filesystem::exists(folder.path(key + ".so")); }

  uint64_t bytes() {
    uint64_t sum = 0;
    for (const auto &file : std::filesystem::directory_iterator(folder.path(".")))
      if (file.path().extension() == ".so")
        sum += file.file_size();
    return sum;
  }

  /// Whether `use` lists the folder.
  template <typename Use> bool lists(Use use) {
    std::string trace = folder.write("killed.lock", "");
    use();
    return !std::filesystem::exists(trace);
  }

  bool insertingLists(const std::string &key, uint64_t limit) {
    return lists([&] { insert(key, limit); });
  }

  std::string count() { return TemporaryFolder::read(folder.path(".count")); }
  uint64_t countedBytes() { return std::stoull(count()); }

  TemporaryFolder folder;
};

TEST_F(CacheLimit, BelowItTheFolderIsListedOnce) {
  EXPECT_TRUE(insertingLists("first", kAmple));
  for (int i = 0; i < 100; ++i)
    ASSERT_FALSE(insertingLists("more" + std::to_string(i), kAmple)) << i;
  EXPECT_FALSE(lists([&] { EXPECT_TRUE(Cache(folder.path("."), kAmple).find("first")); }));
  EXPECT_EQ(countedBytes(), bytes());
}

TEST_F(CacheLimit, AFullFolderIsListedOnceForManyEntries) {
  constexpr uint64_t limit = 64 * kEntryBytes;
  int listings = 0;
  for (int i = 0; i < 200; ++i) {
    listings += insertingLists("key" + std::to_string(i), limit);
    ASSERT_LE(bytes(), limit) << i;
  }
  EXPECT_GE(bytes(), limit - limit / 16);
  EXPECT_GT(listings, 20);
  EXPECT_LT(listings, 40);
}

TEST_F(CacheLimit, ALowerOneHoldsFromTheNextEntryOn) {
  for (int i = 0; i < 10; ++i)
    insert("key" + std::to_string(i), kAmple);
  insert("last", 3 * kEntryBytes);
  EXPECT_EQ(bytes(), 2 * kEntryBytes);
  EXPECT_TRUE(has("last"));
  insert("more", kAmple);
  EXPECT_EQ(countedBytes(), 3 * kEntryBytes);
}

TEST_F(CacheLimit, EntriesOfAnOlderVersionAreCounted) {
  for (int i = 0; i < 10; ++i)
    insert("key" + std::to_string(i), kAmple);
  std::filesystem::remove(folder.path(".count"));
  insert("last", 8 * kEntryBytes);
  EXPECT_LE(bytes(), 8 * kEntryBytes);
  EXPECT_EQ(countedBytes(), bytes());
}

TEST_F(CacheLimit, AnEntryThatIsReplacedOrDeletedIsNeverCountedTooLittle) {
  constexpr uint64_t limit = 5 * kEntryBytes;
  insert("first", limit);
  insert("second", limit);
  for (int i = 0; i < 20; ++i) {
    insert("second", limit);
    ASSERT_GE(countedBytes(), bytes());
    ASSERT_EQ(bytes(), 2 * kEntryBytes) << "nothing has to go";
  }
  std::filesystem::remove(folder.path("first.so"));
  for (const char *key : {"third", "fourth", "fifth"})
    insert(key, limit);
  EXPECT_EQ(bytes(), 4 * kEntryBytes) << "nor for an entry that is no more";
}

TEST_F(CacheLimit, ACountThatCannotBeReadIsMadeAnew) {
  insert("first", kAmple);
  for (std::string damaged : {std::string(), std::string("0\n"), count() + "x",
                              std::string(42, 'x'), std::string(20, '9') + count().substr(20)}) {
    folder.write(".count", damaged);
    EXPECT_TRUE(insertingLists("second", kAmple)) << damaged;
    EXPECT_EQ(countedBytes(), 2 * kEntryBytes) << damaged;
    EXPECT_EQ(count().size(), 42u);
  }
}

TEST_F(CacheLimit, AFolderWasListedWithinADay) {
  insert("first", kAmple);
  std::string recent = count();
  for (const char *when : {"00000000001000000000\n", "00000000099000000000\n"}) { // 2001, 5107
    folder.write(".count", recent.substr(0, 21) + when);
    EXPECT_TRUE(insertingLists("first", kAmple));
    EXPECT_FALSE(insertingLists("first", kAmple));
  }
}

TEST_F(CacheLimit, ACountThatIsNoFileIsReplaced) {
  insert("first", kAmple);
  std::filesystem::remove(folder.path(".count"));
  ASSERT_EQ(mkfifo(folder.path(".count").c_str(), 0600), 0);
  EXPECT_TRUE(insertingLists("second", kAmple));
  EXPECT_TRUE(insertingLists("third", kAmple));
  EXPECT_EQ(countedBytes(), 3 * kEntryBytes);
  EXPECT_FALSE(insertingLists("fourth", kAmple));
}

TEST_F(CacheLimit, AFolderInPlaceOfTheCountIsNoFailure) {
  std::filesystem::create_directory(folder.path(".count"));
  for (int i = 0; i < 10; ++i)
    EXPECT_TRUE(insertingLists("key" + std::to_string(i), 4 * kEntryBytes));
  EXPECT_LE(bytes(), 4 * kEntryBytes);
}

TEST_F(CacheLimit, ACountThatGoesMeanwhileIsMadeAnew) {
  insert("first", kAmple);
  int held = open(folder.path(".count").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  pid_t other = fork();
  if (other == 0) {
    close(held); // which holds it for as long as somebody has it open
    Cache(folder.path("."), kAmple).insert("second", contentOf('x'));
    _exit(0);
  }
  usleep(100000); // it waits, most likely
  std::filesystem::remove(folder.path(".count"));
  close(held);
  waitpid(other, nullptr, 0);
  EXPECT_EQ(countedBytes(), bytes());
  EXPECT_EQ(bytes(), 2 * kEntryBytes);
}

/// Runs `use` in a process of its own, and returns how it ended.
template <typename Use> int statusOf(Use use) {
  pid_t process = fork();
  if (process == 0) {
    use();
    _exit(0);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

TEST_F(CacheLimit, AProcessKilledBeforeItsEntryIsWrittenCountsTooMuch) {
  insert("first", kAmple);
  int status = statusOf([&] {
    rlimit size = {kEntryBytes / 2, kEntryBytes / 2}; // the signal comes while the entry is written
    setrlimit(RLIMIT_FSIZE, &size);
    Cache(folder.path("."), kAmple).insert("second", contentOf('x'));
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(bytes(), kEntryBytes);
  EXPECT_EQ(countedBytes(), 2 * kEntryBytes);
  EXPECT_FALSE(insertingLists("third", 3 * kEntryBytes));
  EXPECT_TRUE(insertingLists("fourth", 3 * kEntryBytes)); // and finds that it fits
  EXPECT_EQ(bytes(), 3 * kEntryBytes);
  EXPECT_EQ(folder.files(), 4u) << "the unfinished file is gone";
}

TEST_F(CacheLimit, ProcessesThatInsertAtOnceKeepIt) {
  constexpr uint64_t limit = 20 * kEntryBytes;
  std::vector<pid_t> processes;
  for (char name : {'a', 'b', 'c', 'd'}) {
    pid_t process = fork();
    if (process == 0) {
      Cache cache(folder.path("."), limit);
      for (int i = 0; i < 50; ++i)
        cache.insert(name + std::to_string(i), contentOf(name));
      _exit(cache.remarks().empty() ? 0 : 1);
    }
    processes.push_back(process);
  }
  for (pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(bytes(), limit);
  EXPECT_GE(bytes(), limit / 2);
  EXPECT_EQ(countedBytes(), bytes());
}

} // namespace
