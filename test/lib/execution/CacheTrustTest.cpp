// What a cache of compiled programs refuses: whatever somebody else could have put there, and
// whatever would make it wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Cache.h"
#include "test/lib/execution/TextProgram.h"

#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;
using tutti::execution::Cache, tutti::execution::defaultCacheDirectory;
namespace fs = llvm::sys::fs;

namespace {

constexpr uint64_t kLargeEntry = 1 << 30;
constexpr uid_t kSomebody = 12345;

/// A cache with the entry "key", which a test then tampers with.
class CacheTrust : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<64> unique;
    fs::createUniqueDirectory("tutti-trust", unique);
    outer = unique.str().str();
    folder = outer + "/cache";
    entry = folder + "/key.so";
    Cache cache(folder, kLargeEntry);
    cache.insert("key", "content");
    ASSERT_EQ(cache.find("key"), "content");
  }
  void TearDown() override { fs::remove_directories(outer); }

  /// What the cache says about why it does not use the entry; empty if it uses it.
  std::string refusal() {
    Cache cache(folder, kLargeEntry);
    if (cache.find("key"))
      return "";
    return cache.remarks().size() == 1 ? cache.remarks()[0] : "no reason, or several";
  }

  std::string outer, folder, entry;
};

TEST_F(CacheTrust, AFolderThatOthersMayWrite) {
  for (mode_t mode : {0777, 0770, 01777, 0702}) {
    chmod(folder.c_str(), mode);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(folder), HasSubstr("may be written by other users")));
  }
  chmod(folder.c_str(), 0755);
  EXPECT_EQ(refusal(), "");
}

TEST_F(CacheTrust, AFolderOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to give files away";
  ASSERT_EQ(chown(folder.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(refusal(), HasSubstr("belongs to user 12345, not to user 0"));
}

TEST_F(CacheTrust, AFolderThatIsALink) {
  std::string link = outer + "/link";
  ASSERT_EQ(symlink(folder.c_str(), link.c_str()), 0);
  Cache cache(link, kLargeEntry);
  EXPECT_FALSE(cache.find("key"));
  EXPECT_THAT(cache.remarks(), ElementsAre(HasSubstr("is a link")));
}

TEST_F(CacheTrust, ARelativeFolder) {
  Cache cache("cache", kLargeEntry);
  cache.insert("key", "content");
  EXPECT_FALSE(cache.find("key"));
  EXPECT_THAT(cache.remarks(), ElementsAre(HasSubstr("not an absolute path")));
  EXPECT_FALSE(fs::exists("cache"));
}

TEST_F(CacheTrust, AnEntryThatOthersMayWrite) {
  chmod(entry.c_str(), 0666);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("key.so"), HasSubstr("may be written by other users")));
}

TEST_F(CacheTrust, AnEntryOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, to give files away";
  ASSERT_EQ(chown(entry.c_str(), kSomebody, kSomebody), 0);
  EXPECT_THAT(refusal(), HasSubstr("belongs to user 12345"));
}

TEST_F(CacheTrust, AnEntryThatIsALink) {
  std::string planted = outer + "/planted.so";
  ASSERT_EQ(rename(entry.c_str(), planted.c_str()), 0);
  ASSERT_EQ(symlink(planted.c_str(), entry.c_str()), 0);
  EXPECT_THAT(refusal(), HasSubstr("'key.so' is a link"));
}

TEST_F(CacheTrust, AnEntryThatIsAPipeOrAFolder) {
  ASSERT_EQ(unlink(entry.c_str()), 0);
  ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is not a regular file")); // and does not wait for a writer
  ASSERT_EQ(unlink(entry.c_str()), 0);
  ASSERT_EQ(mkdir(entry.c_str(), 0700), 0);
  EXPECT_THAT(refusal(), HasSubstr("is not a regular file"));
}

TEST_F(CacheTrust, WhatIsNotUsedIsReplaced) {
  ASSERT_EQ(unlink(entry.c_str()), 0);
  ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
  Cache(folder, kLargeEntry).insert("key", "new");
  EXPECT_EQ(Cache(folder, kLargeEntry).find("key"), "new");
}

TEST_F(CacheTrust, ALockThatIsNoFileHoldsNobodyUp) {
  ASSERT_EQ(mkfifo((folder + "/key.lock").c_str(), 0600), 0);
  Cache cache(folder, kLargeEntry);
  Cache::Hold first = cache.hold("key"), second = cache.hold("key");
  EXPECT_EQ(cache.find("key"), "content");
}

TEST_F(CacheTrust, ALockThatIsNeverGivenBackIsWaitedForSoLong) {
  Cache cache(folder, kLargeEntry);
  Cache::Hold held = cache.hold("key");
  auto begin = std::chrono::steady_clock::now();
  Cache::Hold other = cache.hold("key", std::chrono::milliseconds(100));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
}

/// Sets the three variables that say where the cache is; null: not set.
void setPlaces(const char *own, const char *shared, const char *home) {
  const char *values[] = {own, shared, home};
  const char *names[] = {"TUTTI_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  for (int i = 0; i < 3; ++i)
    values[i] ? setenv(names[i], values[i], 1) : unsetenv(names[i]);
}

std::string placeOrReason() {
  auto place = defaultCacheDirectory();
  return place ? *place : llvm::toString(place.takeError());
}

TEST(CachePlace, TheFolderFollowsTheEnvironment) {
  std::string home = getenv("HOME") ? getenv("HOME") : "";
  setPlaces("/own", "/shared", "/home/me");
  EXPECT_EQ(placeOrReason(), "/own");
  setPlaces("", "/shared", "/home/me");
  EXPECT_EQ(placeOrReason(), "/shared/tutti");
  setPlaces(nullptr, nullptr, "/home/me");
  EXPECT_EQ(placeOrReason(), "/home/me/.cache/tutti");
  for (const char *nothing : {static_cast<const char *>(nullptr), ""}) {
    setPlaces(nullptr, nullptr, nothing);
    EXPECT_EQ(placeOrReason(), "none of TUTTI_CACHE_DIR, XDG_CACHE_HOME and HOME is set");
  }
  setPlaces(nullptr, "cache", "/home/me");
  EXPECT_EQ(placeOrReason(), "XDG_CACHE_HOME='cache' is not an absolute path");
  setPlaces(nullptr, nullptr, home.empty() ? nullptr : home.c_str());
}

TEST(CachePlace, TheLimitIsANumberOfBytes) {
  auto limit = [](const char *text) {
    setenv("TUTTI_CACHE_LIMIT", text, 1);
    auto bytes = tutti::execution::defaultCacheLimit();
    unsetenv("TUTTI_CACHE_LIMIT");
    return bytes ? std::to_string(*bytes) : llvm::toString(bytes.takeError());
  };
  EXPECT_EQ(limit(""), "1073741824");
  EXPECT_EQ(limit("1000"), "1000");
  EXPECT_EQ(limit("512M"), "536870912");
  EXPECT_EQ(limit("0"), "0");
  for (const char *bad : {"much", "-1", "1T", "99999999999999G", "1.5G"})
    EXPECT_THAT(limit(bad), HasSubstr("is not a number of bytes such as 512M or 2G"));
}

} // namespace
