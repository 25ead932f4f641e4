// The cache of compiled programs: whole files or none, and never a wrong one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/files/Cache.h"
#include "runtime/support/system/ProcessMark.h"
#include "test/lib/execution/TextProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tutti::test;
using tutti::execution::Cache;
namespace fs = llvm::sys::fs;

using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

namespace {

constexpr uint64_t kLarge = 1 << 30;

llvm::Error write(llvm::StringRef path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (code)
    return llvm::errorCodeToError(code);
  out << text;
  return llvm::Error::success();
}

std::string read(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// All but the one that counts them.
size_t countFiles(const std::string &directory) {
  std::error_code code;
  size_t count = 0;
  for (fs::directory_iterator file(directory, code), end; file != end && !code;
       file.increment(code))
    count += !llvm::StringRef(file->path()).ends_with("/.count");
  return count;
}

unsigned modeOf(const std::string &path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

/// Makes the file's last change so many seconds old.
void setAge(const std::string &path, time_t seconds) {
  timespec then[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
  utimensat(AT_FDCWD, path.c_str(), then, 0);
}

/// A folder for one test.
struct Folder {
  Folder() {
    llvm::SmallString<64> unique;
    fs::createUniqueDirectory("tutti-cache", unique);
    path = unique.str().str();
    chmod(path.c_str(), 0700);
  }
  ~Folder() { fs::remove_directories(path); }
  std::string path;
};

TEST(Cache, AnEntryIsFoundAgain) {
  Folder folder;
  Cache cache(folder.path + "/made/on/demand", kLarge);
  EXPECT_FALSE(cache.find("key"));
  cache.insert("key", "content");
  EXPECT_EQ(cache.find("key"), "content");
  EXPECT_FALSE(cache.find("other"));
  EXPECT_THAT(cache.remarks(), IsEmpty());
}

TEST(Cache, AFolderThatItMakesIsTheUsersAlone) {
  Folder folder;
  Cache cache(folder.path + "/made", kLarge);
  cache.insert("key", "content");
  EXPECT_EQ(modeOf(folder.path + "/made"), 0700u);
  EXPECT_EQ(modeOf(folder.path + "/made/key.so"), 0600u);
}

TEST(Cache, ADamagedEntryIsRemoved) {
  Folder folder;
  Cache cache(folder.path, kLarge);
  cache.insert("key", "content");
  std::string path = folder.path + "/key.so", whole = read(path);
  for (std::string damaged : {whole.substr(0, whole.size() - 1), "C" + whole.substr(1),
                              std::string(), std::string("short")}) {
    llvm::cantFail(write(path, damaged));
    EXPECT_FALSE(cache.find("key")) << damaged;
    EXPECT_FALSE(fs::exists(path));
  }
}

TEST(Cache, AFolderThatCannotBeMade) {
  Folder folder;
  llvm::cantFail(write(folder.path + "/file", ""));
  Cache cache(folder.path + "/file/below", kLarge);
  cache.insert("key", "content");
  EXPECT_FALSE(cache.find("key"));
  EXPECT_THAT(cache.remarks(), ElementsAre(AllOf(HasSubstr("compiled programs are not kept"),
                                                 HasSubstr("Not a directory"))));
}

TEST(Cache, AFolderThatCannotBeWrittenIsStillRead) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere";
  Folder folder;
  Cache(folder.path, kLarge).insert("key", "content");
  ASSERT_EQ(chmod(folder.path.c_str(), 0500), 0);
  Cache cache(folder.path, kLarge);
  cache.insert("other", "content");
  EXPECT_EQ(cache.find("key"), "content");
  EXPECT_THAT(cache.remarks(), ElementsAre(HasSubstr("the compiled program is not kept")));
  chmod(folder.path.c_str(), 0700);
}

TEST(Cache, ConcurrentWritersLeaveOneWholeEntry) {
  Folder folder;
  Cache cache(folder.path, kLarge);
  auto writeLong = [&] {
    Cache own(folder.path, kLarge);
    for (int round = 0; round < 20; ++round)
      own.insert("key", std::string(100000, 'x'));
    EXPECT_THAT(own.remarks(), IsEmpty());
  };
  std::thread other(writeLong);
  writeLong();
  for (int round = 0; round < 20; ++round)
    EXPECT_TRUE(cache.find("key"));
  other.join();
  EXPECT_TRUE(cache.find("key"));
  EXPECT_EQ(countFiles(folder.path), 1u);
}

TEST(Cache, EntriesThatWereNotUsedForLongestGo) {
  Folder folder;
  std::string content(1000, 'x');
  Cache cache(folder.path, 3500);
  for (const char *key : {"first", "second", "third"}) {
    cache.insert(key, content);
    setAge(folder.path + "/" + key + ".so", 1000 - countFiles(folder.path));
  }
  EXPECT_TRUE(cache.find("first")); // so that it was used last
  cache.insert("fourth", content);
  EXPECT_TRUE(cache.find("first"));
  EXPECT_FALSE(cache.find("second"));
  EXPECT_TRUE(cache.find("third"));
  EXPECT_TRUE(cache.find("fourth"));
}

TEST(Cache, WhatIsLargerThanTheLimitIsNotKept) {
  Folder folder;
  Cache cache(folder.path, 100);
  cache.insert("key", std::string(100, 'x'));
  EXPECT_EQ(countFiles(folder.path), 0u);
}

/// The name that a process of here gives its unfinished file; it has ended unless it is this one.
std::string nameOfUnfinished(bool hasEnded) {
  auto mark = tutti::runtime::ProcessMark::own();
  if (hasEnded) {
    mark.process = fork();
    if (mark.process == 0)
      _exit(0);
    waitpid(mark.process, nullptr, 0);
  }
  return "/.tutti-" + mark.text() + "-0123456789abcdef.part";
}

TEST(Cache, WhatKilledProcessesLeftIsRemovedAndWhatIsHeldIsNot) {
  Folder folder;
  std::string dead = folder.path + nameOfUnfinished(true);
  std::string alive = folder.path + nameOfUnfinished(false);
  Cache first(folder.path, kLarge);
  llvm::cantFail(write(folder.path + "/dead.lock", ""));
  llvm::cantFail(write(dead, "half"));
  llvm::cantFail(write(alive, "half"));
  llvm::cantFail(write(folder.path + "/kept.so", "not ours to judge"));
  Cache::Hold hold = first.hold("alive");
  Cache(folder.path, kLarge).insert("key", "content");
  EXPECT_FALSE(fs::exists(folder.path + "/dead.lock"));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive));
  EXPECT_TRUE(fs::exists(folder.path + "/alive.lock"));
  EXPECT_TRUE(fs::exists(folder.path + "/kept.so"));
}

constexpr const char *kProgram = R"(
module attributes {train.program} {
  train.dataset @data {global_batch = 4 : i64}
  func.func @initialize() { return }
  func.func @step(%x: tensor<?xf32> {train.input = #train.input<"x", @data>}) -> (tensor<f32> {train.metric = "sum"}) {
    %s = onnx.ReduceSum %x {keepdims = 0 : i64} : (tensor<?xf32>) -> tensor<f32>
    return %s : tensor<f32>
  }
})";

TEST(Compile, TheSecondTimeIsAHitAndADamagedFileIsBuiltAgain) {
  Compiler compiler;
  std::error_code code;
  auto first = compiler.compile(kProgram), second = compiler.compile(kProgram);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->wasCached);
  EXPECT_TRUE(second->wasCached);
  EXPECT_EQ(first->manifest, second->manifest);
  EXPECT_EQ(read(first->path()), read(second->path()));
  for (fs::directory_iterator file(compiler.cacheDirectory(), code), end; file != end;
       file.increment(code))
    llvm::cantFail(write(file->path(), "garbage"));
  auto third = compiler.compile(kProgram);
  ASSERT_TRUE(bool(third));
  EXPECT_FALSE(third->wasCached);
  EXPECT_TRUE(bool(tutti::test::LoadedProgram::load(third->path())));
}

TEST(Compile, AnotherRequestIsAnotherEntry) {
  Compiler compiler;
  auto module = compiler.parse(kProgram);
  auto request = compiler.request(*module);
  llvm::cantFail(tutti::execution::compileProgram(request));
  request.optimization = 1;
  EXPECT_FALSE(llvm::cantFail(tutti::execution::compileProgram(request)).wasCached);
  request.optimization = 3;
  request.name = "another";
  EXPECT_FALSE(llvm::cantFail(tutti::execution::compileProgram(request)).wasCached);
  EXPECT_EQ(countFiles(compiler.cacheDirectory()), 3u);
}

TEST(Compile, WithoutACacheThereIsAProgramAndARemark) {
  Compiler compiler;
  auto module = compiler.parse(kProgram);
  auto request = compiler.request(*module);
  request.cacheDirectory = "relative";
  auto compiled = tutti::execution::compileProgram(request);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  EXPECT_TRUE(bool(tutti::test::LoadedProgram::load(compiled->path())));
  EXPECT_THAT(compiled->remarks, ElementsAre(HasSubstr("is not an absolute path")));
  EXPECT_FALSE(fs::exists("relative"));
}

TEST(Compile, AProgramCannotBeChangedOnceItIsChecked) {
  Compiler compiler;
  auto compiled = compiler.compile(kProgram);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  EXPECT_NE(truncate(compiled->path().c_str(), 0), 0);
  llvm::consumeError(write(compiled->path(), "other code"));
  EXPECT_TRUE(bool(tutti::test::LoadedProgram::load(compiled->path())));
}

TEST(Load, AFileThatIsNoProgram) {
  Folder folder;
  llvm::cantFail(write(folder.path + "/garbage.so", "garbage"));
  auto program = tutti::test::LoadedProgram::load(folder.path + "/garbage.so");
  ASSERT_FALSE(bool(program));
  EXPECT_NE(llvm::toString(program.takeError()).find("cannot load the program"), std::string::npos);
}

TEST(Load, EvaluatingWithoutEvaluate) {
  Compiler compiler;
  auto program = compiler.run(kProgram);
  ASSERT_TRUE(program);
  llvm::Error error = program->evaluate({}, {});
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)), "the program has no @evaluate");
}

TEST(Cache, OnlyOneOfManyMakesAnEntry) {
  Folder folder;
  std::atomic<int> made = 0;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks.emplace_back([&] {
      Cache cache(folder.path + "/made/on/demand", kLarge);
      Cache::Hold hold = cache.hold("key");
      if (cache.find("key"))
        return;
      ++made;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cache.insert("key", "content");
    });
  for (std::thread &rank : ranks)
    rank.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(countFiles(folder.path + "/made/on/demand"), 1u) << "the lock is gone";
}

TEST(Cache, AFolderThatCannotBeLockedHoldsNobodyUp) {
  Cache cache("/proc/no/such/folder", kLarge);
  Cache::Hold first = cache.hold("key"), second = cache.hold("key");
  EXPECT_FALSE(cache.find("key"));
}

} // namespace
