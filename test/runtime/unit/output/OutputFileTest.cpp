// The writer of all outputs: what it replaces, what it follows, what it refuses, what it leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/OutputFile.h"
#include "runtime/output/SameFile.h"
#include "runtime/support/system/ProcessMark.h"
#include "test/runtime/TemporaryFolder.h"

#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::output;
using testing::HasSubstr;

namespace {

Error write_text(const std::string &path, const std::string &text) {
  Result<OutputFile> file = OutputFile::open(path);
  if (!file)
    return file.error();
  file->write(text);
  return file->commit();
}

struct stat status_of(const std::string &path) {
  struct stat status = {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status;
}

bool exists(const std::string &path) { return access(path.c_str(), F_OK) == 0; }

/// What `body` returns, from a child that may break its own limits.
template <typename Body> int exit_status_of(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST(OutputFile, is_whole_or_absent) {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  {
    Result<OutputFile> file = OutputFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    file->write("half");
    EXPECT_FALSE(exists(path));
  }
  EXPECT_EQ(folder.files(), 0u) << "what was not committed is gone";
  EXPECT_EQ(write_text(path, "whole").message, "");
  EXPECT_EQ(TemporaryFolder::read(path), "whole");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(OutputFile, leaves_devices_what_they_are) {
  TemporaryFolder folder;
  std::string device = folder.path("null");
  if (mknod(device.c_str(), S_IFCHR | 0666, status_of("/dev/null").st_rdev) != 0)
    device = "/dev/null"; // only root makes devices, and only root could destroy that one
  EXPECT_EQ(write_text(device, "gone").message, "");
  EXPECT_TRUE(S_ISCHR(status_of(device).st_mode));
  std::string link = folder.path("link");
  ASSERT_EQ(symlink(device.c_str(), link.c_str()), 0);
  EXPECT_EQ(write_text(link, "gone").message, "");
  EXPECT_TRUE(S_ISCHR(status_of(device).st_mode));
  EXPECT_TRUE(S_ISLNK(status_of(link).st_mode));
}

TEST(OutputFile, says_why_a_device_takes_nothing) {
  EXPECT_EQ(write_text("/dev/full", "x").message,
            "cannot write '/dev/full': No space left on device");
}

TEST(OutputFile, follows_links_to_the_file_in_the_end) {
  TemporaryFolder folder;
  std::string target = folder.write("target", "before");
  ASSERT_EQ(symlink("target", folder.path("near").c_str()), 0);
  ASSERT_EQ(symlink(folder.path("near").c_str(), folder.path("far").c_str()), 0);
  EXPECT_EQ(write_text(folder.path("far"), "after").message, "");
  EXPECT_EQ(TemporaryFolder::read(target), "after");
  EXPECT_TRUE(S_ISLNK(status_of(folder.path("far")).st_mode));
  EXPECT_TRUE(S_ISLNK(status_of(folder.path("near")).st_mode));
}

TEST(OutputFile, refuses_links_that_lead_nowhere_or_round) {
  TemporaryFolder folder;
  ASSERT_EQ(symlink("absent", folder.path("dangling").c_str()), 0);
  EXPECT_THAT(write_text(folder.path("dangling"), "x").message,
              HasSubstr("absent', which does not exist"));
  EXPECT_FALSE(exists(folder.path("absent")));
  ASSERT_EQ(symlink("round", folder.path("round").c_str()), 0);
  EXPECT_THAT(write_text(folder.path("round"), "x").message, HasSubstr("Too many levels"));
}

TEST(OutputFile, keeps_permissions) {
  TemporaryFolder folder;
  std::string path = folder.write("secret", "before");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  bool is_given_away = geteuid() != 0 || chown(path.c_str(), 12345, 54321) == 0;
  ASSERT_TRUE(is_given_away);
  struct stat before = status_of(path);
  EXPECT_EQ(write_text(path, "after").message, "");
  struct stat after = status_of(path);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
}

TEST(OutputFile, refuses_what_cannot_be_written) {
  TemporaryFolder folder;
  auto complaint = [](const std::string &path) { return OutputFile::check(path).message; };
  EXPECT_THAT(complaint(folder.path("")), HasSubstr("Is a directory"));
  EXPECT_THAT(complaint(folder.path("no/out")), HasSubstr("there is no folder '"));
  EXPECT_THAT(complaint(folder.write("file", "") + "/out"), HasSubstr("Not a directory"));
  EXPECT_THAT(complaint(""), HasSubstr("the path is empty"));
  EXPECT_EQ(complaint(folder.path("fine")), "");
  EXPECT_FALSE(exists(folder.path("fine"))) << "a check makes nothing";
}

TEST(OutputFile, appears_early_for_those_who_follow_it) {
  TemporaryFolder folder;
  std::string path = folder.write("log", "before");
  Result<OutputFile> file = OutputFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ(TemporaryFolder::read(path), "before");
  file->write("1\n");
  file->appear();
  EXPECT_EQ(TemporaryFolder::read(path), "1\n");
  file->write("2\n");
  EXPECT_EQ(TemporaryFolder::read(path), "1\n2\n");
  EXPECT_FALSE(file->commit());
}

TEST(OutputFile, keeps_whole_pieces_when_there_is_no_room) {
  TemporaryFolder folder;
  std::string path = folder.path("log");
  EXPECT_EQ(exit_status_of([&] {
              std::signal(SIGXFSZ, SIG_IGN);
              rlimit most = {10, 10};
              setrlimit(RLIMIT_FSIZE, &most);
              Result<OutputFile> file = OutputFile::open(path);
              file->write("12345\n");
              file->appear();
              file->write("67890\n");
              std::string why = file->commit().message;
              return why.find("File too large") != std::string::npos ? 0 : 1;
            }),
            0);
  EXPECT_EQ(TemporaryFolder::read(path), "12345\n");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(OutputFile, removes_what_the_dead_left_and_nothing_else) {
  TemporaryFolder folder;
  EXPECT_EQ(exit_status_of([&] {
              Result<OutputFile> file = OutputFile::open(folder.path("out"));
              file->write("half");
              _exit(0); // as a kill: no destructor runs
              return 1;
            }),
            0);
  EXPECT_EQ(folder.files(), 1u) << "the unfinished file of the dead";
  Result<OutputFile> living = OutputFile::open(folder.path("living"));
  ASSERT_TRUE(living);
  EXPECT_EQ(folder.files(), 1u) << "that of the living alone";
  folder.write(".tutti-0123456789abcdef.partial", "not ours");
  EXPECT_EQ(write_text(folder.path("out"), "x").message, "");
  living->write("y");
  EXPECT_EQ(living->commit().message, "");
  EXPECT_EQ(folder.files(), 3u);
}

/// Machines that share a folder do not know each other's processes, nor their locks.
TEST(OutputFile, leaves_alone_what_another_machine_writes) {
  TemporaryFolder folder;
  ProcessMark elsewhere = {ProcessMark::own().where ^ 1, getpid()};
  std::string name = ".tutti-" + elsewhere.text() + "-0123456789abcdef.part";
  folder.write(name, "half");
  EXPECT_EQ(write_text(folder.path("out"), "x").message, "");
  EXPECT_EQ(folder.files(), 2u);
  timespec old[2] = {{0, 0}, {0, 0}}; // untouched for more than a day
  ASSERT_EQ(utimensat(AT_FDCWD, folder.path(name).c_str(), old, 0), 0);
  EXPECT_EQ(write_text(folder.path("out"), "x").message, "");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(OutputFile, writes_into_a_pipe_that_is_read) {
  TemporaryFolder folder;
  std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(OutputFile::check(pipe).message, "") << "without waiting for a reader";
  std::string read;
  std::thread reader([&] { read = TemporaryFolder::read(pipe); });
  EXPECT_EQ(write_text(pipe, "through").message, "");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(S_ISFIFO(status_of(pipe).st_mode));
}

TEST(OutputFile, writes_to_its_own_descriptors) {
  TemporaryFolder folder;
  int file = open(folder.path("descriptor").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  std::string path = text("/proc/self/fd/", file);
  EXPECT_EQ(write_text(path, "1").message, "");
  EXPECT_EQ(write_text(text("/dev/fd/", file), "2").message, "");
  EXPECT_EQ(TemporaryFolder::read(folder.path("descriptor")), "12");
  close(file);
}

TEST(CheckOutputs, finds_one_file_under_two_names) {
  TemporaryFolder folder;
  std::string data = folder.write("data.npz", "data");
  ASSERT_EQ(link(data.c_str(), folder.path("hard").c_str()), 0);
  ASSERT_EQ(symlink("data.npz", folder.path("soft").c_str()), 0);
  std::vector<NamedPath> inputs = {{"--dataset", data}, {"--evaluate", ""}};
  for (const char *name : {"data.npz", "hard", "soft", "./data.npz"})
    EXPECT_THAT(check_outputs({{"--metrics", folder.path(name)}}, inputs).message,
                HasSubstr("is the file that --dataset reads"))
        << name;
  EXPECT_THAT(
      check_outputs({{"--metrics", folder.path("hard")}}, {{"--dataset", folder.path("")}}).message,
      HasSubstr("is the file that --dataset reads"));
  EXPECT_THAT(check_outputs({{"--save", folder.path("new")}, {"--trace", folder.path("./new")}}, {})
                  .message,
              HasSubstr("--trace: '" + folder.path("./new") + "' is the file that --save writes"));
  EXPECT_EQ(check_outputs({{"--save", data}}, inputs).message,
            "--save: '" + data + "' is the file that --dataset reads; give each a file of its own");
  EXPECT_EQ(
      check_outputs({{"--save", folder.path("a")}, {"--trace", folder.path("b")}}, inputs).message,
      "");
  EXPECT_EQ(check_outputs({{"--save", "/dev/null"}, {"--trace", "/dev/null"}}, inputs).message, "");
}
