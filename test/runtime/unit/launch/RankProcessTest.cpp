// The process of one rank: started with its configuration, watched, ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/RankProcess.h"
#include "test/runtime/TemporaryFolder.h"

#include <csignal>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

class RankProcessTest : public testing::Test {
protected:
  /// A program that the shell runs; $1 is the configuration.
  std::string program(const std::string &lines) const {
    std::string path = folder.write("worker.sh", "#!/bin/sh\n" + lines + "\n");
    chmod(path.c_str(), 0755);
    return path;
  }
  RankProcess start(const std::string &lines, const std::string &json = "{}",
                    const std::vector<std::string> &environment = {}) const {
    Result<RankProcess> process = RankProcess::start(program(lines), json, {shared}, environment);
    EXPECT_TRUE(process) << process.error().message;
    return std::move(*process);
  }
  static void wait(RankProcess &process) {
    pollfd watched = {process.watch_descriptor(), POLLIN, 0};
    EXPECT_EQ(poll(&watched, 1, 60000), 1) << "it did not end";
    EXPECT_TRUE(process.has_ended());
  }

  TemporaryFolder folder;
  int shared = open("/dev/null", O_RDWR | O_CLOEXEC);
  ~RankProcessTest() override { close(shared); }
};

} // namespace

TEST_F(RankProcessTest, is_given_its_configuration_and_environment) {
  std::string out = folder.path("out");
  RankProcess process =
      start("cat $1 > " + out + "; echo \" $COLOUR\" >> " + out, "{\"rank\": 3}", {"COLOUR=red"});
  wait(process);
  EXPECT_EQ(process.exit_status(), 0);
  EXPECT_EQ(process.signal(), 0);
  EXPECT_EQ(TemporaryFolder::read(out), "{\"rank\": 3} red\n");
}

TEST_F(RankProcessTest, may_use_only_the_processors_that_it_is_given) {
  std::string out = folder.path("out"),
              worker = program("grep Cpus_allowed_list /proc/self/status > " + out);
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int32_t last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(size_t(last), &before))
    --last;
  Result<RankProcess> process = RankProcess::start(worker, "{}", {shared}, {}, {last});
  ASSERT_TRUE(process) << process.error().message;
  wait(*process);
  EXPECT_EQ(TemporaryFolder::read(out), "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after)) << "the launcher itself stays where it was";

  Result<RankProcess> nowhere = RankProcess::start(worker, "{}", {shared}, {}, {CPU_SETSIZE - 1});
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("cannot bind a rank to its cores"));
}

TEST_F(RankProcessTest, inherits_the_descriptor_that_ranks_share) {
  RankProcess process = start("test -e /proc/self/fd/" + std::to_string(shared));
  wait(process);
  EXPECT_EQ(process.exit_status(), 0);
}

TEST_F(RankProcessTest, tells_how_it_ended) {
  RankProcess exits = start("exit 7");
  wait(exits);
  EXPECT_EQ(exits.exit_status(), 7);
  RankProcess dies = start("kill -FPE $$");
  wait(dies);
  EXPECT_EQ(dies.signal(), SIGFPE);
  EXPECT_EQ(dies.exit_status(), 0);
}

TEST_F(RankProcessTest, runs_until_it_is_killed) {
  RankProcess process = start("exec sleep 600");
  EXPECT_FALSE(process.has_ended());
  process.kill();
  wait(process);
  EXPECT_EQ(process.signal(), SIGKILL);
  process.kill(); // of a process that is gone: nothing
}

TEST_F(RankProcessTest, ends_with_its_object) {
  int process = 0;
  {
    RankProcess first = start("exec sleep 600");
    process = first.process();
    RankProcess second = std::move(first);
    EXPECT_EQ(kill(process, 0), 0) << "moving does not end it";
  }
  EXPECT_EQ(kill(process, 0), -1);
}

TEST_F(RankProcessTest, is_not_started_from_what_is_no_program) {
  Result<RankProcess> absent = RankProcess::start(folder.path("absent"), "{}", {shared}, {});
  EXPECT_THAT(absent.error().message,
              testing::AllOf(HasSubstr("cannot run the worker '" + folder.path("absent")),
                             HasSubstr("No such file")));
  Result<RankProcess> text = RankProcess::start(folder.write("text", "x"), "{}", {shared}, {});
  EXPECT_THAT(text.error().message, HasSubstr("Permission denied"));
}
