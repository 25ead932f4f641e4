// Folders of killed processes go with the next one; those of anybody else stay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/ScratchFolder.h"
#include "test/runtime/Fork.h"
#include "test/runtime/TemporaryFolder.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tutti::runtime;
namespace fs = std::filesystem;

namespace {

struct ScratchFolderTest : testing::Test {
  ScratchFolderTest() { setenv("TMPDIR", folder.path("").c_str(), 1); }
  ~ScratchFolderTest() override { unsetenv("TMPDIR"); }

  /// A folder that a process made before it was killed.
  std::string leftover() {
    Fork fork = start_fork([]() -> std::string {
      Result<ScratchFolder> made = ScratchFolder::make();
      std::ofstream(made->path() + "/run.rendezvous") << "something";
      kill(getpid(), SIGKILL);
      return "";
    });
    finish_fork(fork);
    for (const auto &entry : fs::directory_iterator(folder.path("")))
      return entry.path().string();
    return "";
  }
  TemporaryFolder folder;
};

} // namespace

TEST_F(ScratchFolderTest, goes_at_its_end) {
  std::string path;
  {
    Result<ScratchFolder> made = ScratchFolder::make();
    ASSERT_TRUE(made) << made.error().message;
    path = made->path();
    EXPECT_TRUE(fs::is_directory(path));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ScratchFolderTest, removes_what_killed_processes_left) {
  std::string old = leftover();
  ASSERT_NE(old, "");
  ASSERT_TRUE(fs::exists(old + "/run.rendezvous"));
  EXPECT_TRUE(ScratchFolder::make());
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(ScratchFolderTest, leaves_alone_what_is_not_of_a_dead_process_of_its_own) {
  std::string old = leftover();
  std::string beside = folder.path("target");
  fs::create_directory(beside);
  fs::rename(old, folder.path("x"));
  fs::create_directory_symlink(beside, old); // a name of ours that leads elsewhere
  std::string other_space = folder.path("tutti-run-0123456789ab-999999-abcdef");
  fs::create_directory(other_space);
  std::string foreign = folder.path("tutti-run-abc");
  fs::create_directory(foreign);
  Result<ScratchFolder> alive = ScratchFolder::make();
  Result<ScratchFolder> second = ScratchFolder::make();
  for (const std::string &path : {old, beside, other_space, foreign, alive->path()})
    EXPECT_TRUE(fs::exists(path)) << path;
}

TEST_F(ScratchFolderTest, says_what_is_wrong_with_the_folder_for_temporary_files) {
  setenv("TMPDIR", "/no/such/folder", 1);
  EXPECT_THAT(ScratchFolder::make().error().message,
              testing::HasSubstr("the folder for temporary files '/no/such/folder' cannot be"));
}

TEST_F(ScratchFolderTest, takes_an_empty_variable_for_none) {
  setenv("TMPDIR", "", 1);
  Result<ScratchFolder> made = ScratchFolder::make();
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->path().rfind("/tmp/", 0), 0u);
}

TEST_F(ScratchFolderTest, is_short_enough_for_sockets) {
  std::string deep = folder.path(std::string(80, 'd'));
  fs::create_directory(deep);
  setenv("TMPDIR", deep.c_str(), 1);
  EXPECT_EQ(ScratchFolder::make()->path().rfind(deep, 0), 0u);
  Result<ScratchFolder> made = ScratchFolder::make_for_sockets(8);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_LE(made->path().size() + 1 + 8, 107u);
  setenv("TMPDIR", "/tmp", 1);
  EXPECT_EQ(ScratchFolder::make_for_sockets(8)->path().rfind("/tmp/", 0), 0u);
}
