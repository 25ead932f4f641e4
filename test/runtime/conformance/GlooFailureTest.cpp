// Ranks over TCP that die while they connect or while they run, and connections of strangers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/meeting/Acceptor.h"
#include "test/runtime/Fork.h"
#include "tutti/collectives.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <netdb.h>
#include <sstream>
#include <sys/socket.h>
#include <unistd.h>

using namespace tutti::runtime;
using gloo_backend::Hello;
using testing::AnyOf;
using testing::HasSubstr;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What rank 0 has left in the folder, once it has.
struct Seen {
  std::string host, port;
  Hello hello; ///< with the secret

  static Seen wait(const std::string &file) {
    for (;;) {
      std::ifstream stream(file);
      std::string title, digits;
      Seen seen;
      if (std::getline(stream, title) && stream >> digits >> seen.host >> seen.port) {
        for (size_t i = 0; i < seen.hello.secret.size(); ++i)
          seen.hello.secret[i] = uint8_t(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
        return seen;
      }
      usleep(1000);
    }
  }
  int connect() const {
    addrinfo *found = nullptr;
    getaddrinfo(host.c_str(), port.c_str(), nullptr, &found);
    int made = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(made, found->ai_addr, found->ai_addrlen) != 0)
      made = -1;
    freeaddrinfo(found);
    return made;
  }
};

class GlooFailure : public testing::Test {
protected:
  void SetUp() override {
    char message[1024];
    if (tutti_backend_load("gloo", &gloo, message, sizeof message) != TUTTI_OK)
      GTEST_SKIP() << message;
    ASSERT_EQ(tutti_meeting_create(gloo, ranks, 0, &meeting), TUTTI_OK);
    connection = tutti_meeting_connection(meeting);
    size_t begin = connection.find("file:") + 5;
    file = connection.substr(begin, connection.find(';') - begin) + "/run.rendezvous";
  }
  void TearDown() override { tutti_meeting_destroy(meeting); }

  using Body = std::function<std::string(tutti_context *)>;

  Fork start(int32_t rank, const Body &body) {
    return start_fork([=]() -> std::string {
      tutti_context_options options = {};
      options.struct_bytes = sizeof options;
      options.backend = gloo;
      options.connection = connection.c_str();
      options.rank = rank;
      options.size = ranks;
      options.one_backend = shares_node ? 0 : 1;
      options.limits = limits;
      options.reduction_order = order;
      tutti_context *context = nullptr;
      tutti_context_create(&options, &context);
      std::unique_ptr<tutti_context, void (*)(tutti_context *)> owner(context,
                                                                      tutti_context_destroy);
      return tutti_context_status(context) ? tutti_context_message(context) : body(context);
    });
  }

  static std::string train(tutti_context *context, int64_t steps) {
    float value = 1;
    void *memory = &value;
    int64_t one = 1;
    for (int64_t step = 0; step < steps && tutti_context_status(context) == TUTTI_OK; ++step) {
      tutti_context_set_step(context, step);
      value = 1;
      tutti_all_reduce(context, 0, 0, TUTTI_SUM, TUTTI_F32, 1, &memory, &memory, &one);
      if (tutti_context_status(context) == TUTTI_OK && value != float(tutti_context_size(context)))
        return text("the sum is ", value);
    }
    return tutti_context_message(context);
  }
  static std::string train_for_ever(tutti_context *context) { return train(context, INT64_MAX); }

  int32_t ranks = 4;
  bool shares_node = false;
  tutti_limits limits = {1, 60, 1};
  int32_t order = TUTTI_ORDER_RANKS;
  const tutti_backend *gloo = nullptr;
  tutti_meeting *meeting = nullptr;
  std::string connection, file;
};

} // namespace

TEST_F(GlooFailure, strangers_disturb_nobody) {
  std::vector<Fork> forks = {start(0, [](tutti_context *c) { return train(c, 2000); })};
  Seen seen = Seen::wait(file);
  std::atomic<bool> is_over{false};
  std::thread strangers([&] {
    std::string garbage(10000, '\xff'), request = "GET / HTTP/1.1\r\n\r\n";
    Hello wrong = seen.hello, half = seen.hello;
    wrong.secret[31] ^= 1;
    wrong.rank = 1;
    std::string pretender(reinterpret_cast<const char *>(&wrong), sizeof wrong);
    std::string beginning(reinterpret_cast<const char *>(&half), 10);
    for (size_t i = 0; !is_over; ++i) {
      const std::string *words[] = {&garbage, &request, &pretender, &beginning};
      int made = seen.connect();
      if (made >= 0)
        send(made, words[i % 4]->data(), words[i % 4]->size(), MSG_NOSIGNAL);
      if (i % 3 != 0 || i > 300) // some stay
        close(made);
      usleep(1000);
    }
  });
  usleep(200000);
  for (int32_t rank = 1; rank < ranks; ++rank)
    forks.push_back(start(rank, [](tutti_context *c) { return train(c, 2000); }));
  for (const Fork &fork : forks)
    EXPECT_EQ(finish_fork(fork), "");
  is_over = true;
  strangers.join();
}

TEST_F(GlooFailure, a_rank_that_dies_while_it_connects_is_named_by_all_at_once) {
  std::vector<Fork> forks;
  for (int32_t rank : {0, 1, 3})
    forks.push_back(start(rank, train_for_ever));
  Seen seen = Seen::wait(file);
  seen.hello.rank = 2;
  int made = seen.connect();
  ASSERT_GE(made, 0);
  send(made, &seen.hello, sizeof seen.hello, 0);
  char address[sizeof(gloo_backend::SocketAddress)] = {};
  send(made, address, sizeof address, 0);
  usleep(300000);
  auto begin = Clock::now();
  close(made); // as the system does for a rank that is killed
  for (const Fork &fork : forks)
    EXPECT_THAT(finish_fork(fork), HasSubstr("rank 2 "));
  EXPECT_LT(seconds_since(begin), 10);
}

TEST_F(GlooFailure, rank_0_that_dies_while_the_others_connect_is_named) {
  Fork first = start(0, train_for_ever);
  Seen::wait(file);
  std::vector<Fork> forks;
  for (int32_t rank : {1, 2}) // rank 3 does not come, so the meeting goes on
    forks.push_back(start(rank, train_for_ever));
  usleep(300000);
  auto begin = Clock::now();
  kill(first.pid, SIGKILL);
  for (const Fork &fork : forks)
    EXPECT_THAT(finish_fork(fork), HasSubstr("rank 0 died while the ranks met"));
  EXPECT_LT(seconds_since(begin), 10);
  finish_fork(first);
}

TEST_F(GlooFailure, a_rank_that_is_killed_is_named_by_all) {
  for (int32_t way : {TUTTI_ORDER_RANKS, TUTTI_ORDER_NATIVE})
    for (bool memory : {false, true}) {
      order = way;
      shares_node = memory;
      std::vector<Fork> forks;
      for (int32_t rank = 0; rank < ranks; ++rank)
        forks.push_back(start(rank, train_for_ever));
      usleep(700000);
      auto begin = Clock::now();
      kill(forks[2].pid, SIGKILL);
      for (int32_t rank : {0, 1, 3}) {
        std::string told = finish_fork(forks[size_t(rank)]);
        EXPECT_THAT(told, AnyOf(HasSubstr("rank 2 died"), HasSubstr("rank 2 (process")))
            << rank << " " << way << memory;
        EXPECT_LT(seconds_since(begin), 10) << rank << " " << way << memory << ": " << told;
      }
      finish_fork(forks[2]);
    }
}

// Its connections stay open, so only what it told can end the waits inside Gloo.
TEST_F(GlooFailure, a_rank_that_fails_and_stays_ends_the_waits_of_the_others) {
  for (int32_t way : {TUTTI_ORDER_RANKS, TUTTI_ORDER_NATIVE}) {
    order = way;
    std::vector<Fork> forks;
    for (int32_t rank = 0; rank < ranks; ++rank)
      forks.push_back(start(rank, [=](tutti_context *context) -> std::string {
        if (rank != 2)
          return train_for_ever(context);
        train(context, 10);
        tutti_context_fail(context, TUTTI_INVALID_ARGUMENT, "rank 2 has no data left");
        sleep(60);
        return "";
      }));
    auto begin = Clock::now();
    for (int32_t rank : {0, 1, 3})
      EXPECT_THAT(finish_fork(forks[size_t(rank)]), HasSubstr("rank 2 has no data left")) << way;
    EXPECT_LT(seconds_since(begin), 10) << way;
    kill(forks[2].pid, SIGKILL);
    finish_fork(forks[2]);
  }
}

TEST_F(GlooFailure, a_rank_that_is_killed_at_any_moment_is_named) {
  limits = {0.5, 4, 1};
  for (int i = 0; i < 12; ++i) {
    std::vector<Fork> forks;
    for (int32_t rank = 0; rank < ranks; ++rank)
      forks.push_back(start(rank, train_for_ever));
    usleep(useconds_t(i * i * 1000));
    kill(forks[2].pid, SIGKILL);
    auto begin = Clock::now();
    for (int32_t rank : {0, 1, 3})
      EXPECT_THAT(finish_fork(forks[size_t(rank)]), HasSubstr("rank 2")) << rank << " " << i;
    EXPECT_LT(seconds_since(begin), 15);
    finish_fork(forks[2]);
  }
}

TEST_F(GlooFailure, a_file_of_a_killed_run_is_replaced) {
  Fork first = start(0, train_for_ever);
  Seen::wait(file);
  kill(first.pid, SIGKILL);
  finish_fork(first);
  std::vector<Fork> forks;
  for (int32_t rank = 1; rank < ranks; ++rank)
    forks.push_back(start(rank, [](tutti_context *c) { return train(c, 10); }));
  usleep(300000); // they find the file first
  forks.push_back(start(0, [](tutti_context *c) { return train(c, 10); }));
  for (const Fork &fork : forks)
    EXPECT_EQ(finish_fork(fork), "");
}

TEST_F(GlooFailure, a_file_that_is_no_invitation_is_waited_out) {
  limits = {0.1, 0.5, 1};
  for (const char *content : {"", "tutti", "tutti rendezvous 1\nzz\n1 2\n",
                              "tutti rendezvous 1\n\n127.0.0.1 99999999\n"}) {
    std::ofstream(file) << content;
    EXPECT_THAT(finish_fork(start(1, train_for_ever)),
                HasSubstr("rank 1 waited 0 s for rank 0 to come to"));
  }
}
