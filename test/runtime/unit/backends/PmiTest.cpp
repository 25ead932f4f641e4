// Meeting by a launcher that speaks PMI-1, which is a thread here.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/LauncherStore.h"

#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::gloo_backend;
using std::chrono::milliseconds;
using testing::HasSubstr;

namespace {

/// A launcher of one process: answers each line with what `answer` makes of it, "" being nothing.
class Launcher {
public:
  explicit Launcher(std::function<std::string(const std::string &)> answer) {
    int both[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, both) != 0)
      std::abort();
    client = both[0];
    thread = std::thread([this, server = both[1], answer = std::move(answer)] {
      std::string line;
      for (char letter; read(server, &letter, 1) == 1;) {
        if (letter != '\n') {
          line += letter;
          continue;
        }
        heard.push_back(line);
        std::string said = answer(std::exchange(line, ""));
        if (said == "close")
          break;
        for (char each : said)                           // in pieces, as a network may bring it
          if (send(server, &each, 1, MSG_NOSIGNAL) != 1) // the client may have given up
            break;
      }
      close(server);
    });
  }
  ~Launcher() { end(); }
  void end() {
    shutdown(client, SHUT_RDWR);
    if (thread.joinable())
      thread.join();
    if (client >= 0)
      close(client);
    client = -1;
  }

  int client = -1;
  std::vector<std::string> heard; ///< to be read once it has ended

private:
  std::thread thread;
};

std::string answer_as_hydra(const std::string &line) {
  if (line == "cmd=init pmi_version=1 pmi_subversion=1")
    return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
  if (line == "cmd=get_my_kvsname")
    return "cmd=my_kvsname kvsname=kvs_7_0\n";
  if (line == "cmd=put kvsname=kvs_7_0 key=tutti-rank-0 value=a=b;c")
    return "cmd=put_result rc=0 msg=success\n";
  if (line == "cmd=barrier_in")
    return "cmd=barrier_out\n";
  if (line == "cmd=get kvsname=kvs_7_0 key=tutti-rank-0")
    return "cmd=get_result rc=0 msg=success value=a=b;c\n";
  return line == "cmd=finalize" ? "cmd=finalize_ack\n" : "close";
}

std::string problem_with(std::function<std::string(const std::string &)> answer) {
  Launcher launcher(std::move(answer));
  return open_pmi(launcher.client).error().message;
}

} // namespace

TEST(Pmi, passes_a_text_of_rank_0) {
  Launcher launcher(answer_as_hydra);
  auto store = open_pmi(launcher.client);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_FALSE((*store)->put("a=b;c"));
  EXPECT_FALSE((*store)->enter());
  auto entered = (*store)->have_all_entered(milliseconds(10000));
  ASSERT_TRUE(entered) << entered.error().message;
  EXPECT_TRUE(*entered);
  auto passed = (*store)->get();
  ASSERT_TRUE(passed) << passed.error().message;
  EXPECT_EQ(*passed, "a=b;c");
  EXPECT_FALSE((*store)->leave());
  launcher.end();
  EXPECT_EQ(launcher.heard.back(), "cmd=finalize");
}

TEST(Pmi, waits_for_others_no_longer_than_asked) {
  Launcher launcher([](const std::string &line) {
    return line == "cmd=barrier_in" ? std::string() : answer_as_hydra(line);
  });
  auto store = open_pmi(launcher.client);
  ASSERT_TRUE(store) << store.error().message;
  ASSERT_FALSE((*store)->enter());
  auto entered = (*store)->have_all_entered(milliseconds(5));
  ASSERT_TRUE(entered) << entered.error().message;
  EXPECT_FALSE(*entered);
}

TEST(Pmi, says_what_a_launcher_did_wrong) {
  EXPECT_THAT(problem_with([](auto &) { return "close"; }), HasSubstr("has closed its connection"));
  EXPECT_THAT(problem_with([](auto &) { return "hello\n"; }),
              HasSubstr("says 'hello', not 'cmd=response_to_init ...'; give --rendezvous"));
  EXPECT_THAT(problem_with([](auto &) { return "cmd=response_to_init rc=-1\n"; }),
              HasSubstr("says 'cmd=response_to_init rc=-1'"));
  EXPECT_THAT(problem_with([](auto &) { return std::string(10000, 'a'); }),
              HasSubstr("sends a line without an end"));
  EXPECT_THAT(problem_with([](const std::string &line) {
                return line == "cmd=get_my_kvsname" ? "cmd=my_kvsname\n" : answer_as_hydra(line);
              }),
              HasSubstr("has no key-value space"));
}

TEST(Pmi, is_refused_where_the_environment_is_of_another_process) {
  setenv("PMI_RANK", "1", 1);
  setenv("PMI_SIZE", "2", 1);
  setenv("PMI_FD", "0x3", 1);
  EXPECT_THAT(
      LauncherStore::open("pmi", 0, 2).error().message,
      HasSubstr("this is rank 0 of 2, but the launcher's PMI has PMI_RANK=1 and PMI_SIZE=2"));
  EXPECT_THAT(LauncherStore::open("pmi", 1, 2).error().message,
              HasSubstr("PMI_FD=0x3 is no connection with the launcher"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  setenv("PMI_FD", std::to_string(ends[0]).c_str(), 1);
  EXPECT_THAT(LauncherStore::open("pmi", 1, 2).error().message, HasSubstr("is no connection"));
  close(ends[0]);
  close(ends[1]);
  EXPECT_THAT(LauncherStore::open("pmi", 1, 2).error().message, HasSubstr("is no connection"));
  for (const char *name : {"PMI_RANK", "PMI_SIZE", "PMI_FD"})
    unsetenv(name);
}
