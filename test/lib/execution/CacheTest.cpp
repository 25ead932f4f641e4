// The cache of compiled programs: whole files or none, and never a wrong one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Cache.h"
#include "test/lib/execution/TextProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace tutti::test;
using tutti::execution::Cache;
namespace fs = llvm::sys::fs;

namespace {

llvm::Error write(llvm::StringRef path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  out << text;
  return code ? llvm::errorCodeToError(code) : llvm::Error::success();
}

std::string read(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

size_t countFiles(const std::string &directory) {
  std::error_code code;
  size_t count = 0;
  for (fs::directory_iterator file(directory, code), end; file != end && !code;
       file.increment(code))
    ++count;
  return count;
}

/// A folder for one test.
struct Folder {
  Folder() {
    llvm::SmallString<64> unique;
    fs::createUniqueDirectory("tutti-cache", unique);
    path = unique.str().str();
  }
  ~Folder() { fs::remove_directories(path); }
  std::string path;
};

TEST(Cache, AnEntryIsFoundAgain) {
  Folder folder;
  Cache cache(folder.path + "/made/on/demand");
  EXPECT_FALSE(cache.find("key"));
  auto path = cache.insert("key", [](llvm::StringRef file) { return write(file, "content"); });
  ASSERT_TRUE(bool(path)) << llvm::toString(path.takeError());
  EXPECT_EQ(cache.find("key"), *path);
  EXPECT_EQ(read(*path).substr(0, 7), "content");
  EXPECT_FALSE(cache.find("other"));
}

TEST(Cache, ADamagedEntryIsRemoved) {
  Folder folder;
  Cache cache(folder.path);
  std::string path = llvm::cantFail(
      cache.insert("key", [](llvm::StringRef file) { return write(file, "content"); }));
  std::string whole = read(path);
  for (std::string damaged : {whole.substr(0, whole.size() - 1), "C" + whole.substr(1),
                              std::string(), std::string("short")}) {
    llvm::cantFail(write(path, damaged));
    EXPECT_FALSE(cache.find("key")) << damaged;
    EXPECT_FALSE(fs::exists(path));
  }
}

TEST(Cache, AFailureLeavesNothing) {
  Folder folder;
  Cache cache(folder.path);
  auto path = cache.insert("key", [](llvm::StringRef file) {
    llvm::cantFail(write(file, "half"));
    return llvm::createStringError("out of luck");
  });
  ASSERT_FALSE(bool(path));
  EXPECT_EQ(llvm::toString(path.takeError()), "out of luck");
  EXPECT_EQ(countFiles(folder.path), 0u);
}

TEST(Cache, AFolderThatCannotBeMade) {
  Folder folder;
  llvm::cantFail(write(folder.path + "/file", ""));
  auto path = Cache(folder.path + "/file/below").insert("key", [](llvm::StringRef) {
    return llvm::Error::success();
  });
  ASSERT_FALSE(bool(path));
  EXPECT_NE(llvm::toString(path.takeError()).find("cannot make the cache folder"),
            std::string::npos);
}

TEST(Cache, ConcurrentWritersLeaveOneWholeEntry) {
  Folder folder;
  Cache cache(folder.path);
  auto writeLong = [&] {
    for (int round = 0; round < 20; ++round)
      llvm::cantFail(
          cache
              .insert("key",
                      [](llvm::StringRef file) { return write(file, std::string(100000, 'x')); })
              .takeError());
  };
  std::thread other(writeLong);
  writeLong();
  for (int round = 0; round < 20; ++round)
    EXPECT_TRUE(cache.find("key"));
  other.join();
  EXPECT_TRUE(cache.find("key"));
  EXPECT_EQ(countFiles(folder.path), 1u);
}

TEST(Cache, TheFolderFollowsTheEnvironment) {
  setenv("TUTTI_CACHE_DIR", "/somewhere", 1);
  EXPECT_EQ(tutti::execution::defaultCacheDirectory(), "/somewhere");
  unsetenv("TUTTI_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(tutti::execution::defaultCacheDirectory(), "/cache/tutti");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_NE(tutti::execution::defaultCacheDirectory().find(".cache/tutti"), std::string::npos);
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
  auto first = compiler.compile(kProgram), second = compiler.compile(kProgram);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->wasCached);
  EXPECT_TRUE(second->wasCached);
  EXPECT_EQ(first->path, second->path);
  EXPECT_EQ(first->manifest, second->manifest);
  llvm::cantFail(write(first->path, "garbage"));
  auto third = compiler.compile(kProgram);
  ASSERT_TRUE(bool(third));
  EXPECT_FALSE(third->wasCached);
  EXPECT_TRUE(bool(tutti::execution::LoadedProgram::load(third->path)));
}

TEST(Compile, AnotherRequestIsAnotherEntry) {
  Compiler compiler;
  auto module = compiler.parse(kProgram);
  auto request = compiler.request(*module);
  std::string first = llvm::cantFail(tutti::execution::compileProgram(request)).path;
  request.optimization = 1;
  EXPECT_NE(llvm::cantFail(tutti::execution::compileProgram(request)).path, first);
  request.optimization = 3;
  request.name = "another";
  EXPECT_NE(llvm::cantFail(tutti::execution::compileProgram(request)).path, first);
}

TEST(Load, AFileThatIsNoProgram) {
  Folder folder;
  llvm::cantFail(write(folder.path + "/garbage.so", "garbage"));
  auto program = tutti::execution::LoadedProgram::load(folder.path + "/garbage.so");
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
  Cache cache(folder.path + "/made/on/demand");
  std::atomic<int> made = 0;
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks.emplace_back([&] {
      Cache::Hold hold = cache.hold("key");
      if (cache.find("key"))
        return;
      ++made;
      llvm::cantFail(cache.insert("key", [](llvm::StringRef file) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return write(file, "content");
      }));
    });
  for (std::thread &rank : ranks)
    rank.join();
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(cache.find("key"));
  EXPECT_EQ(countFiles(folder.path + "/made/on/demand"), 1u) << "the lock is gone";
}

TEST(Cache, AFolderThatCannotBeLockedHoldsNobodyUp) {
  Cache cache("/proc/no/such/folder");
  Cache::Hold first = cache.hold("key"), second = cache.hold("key");
  EXPECT_FALSE(cache.find("key"));
}

} // namespace
