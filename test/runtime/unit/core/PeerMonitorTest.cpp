// A process that ends is noticed; one that leaves in order is not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/PeerMonitor.h"
#include "test/runtime/Fork.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>
#include <vector>

using tutti::runtime::PeerMonitor;

namespace {

/// A child with a monitor, whose address it tells through a pipe. Then it waits for a signal, and
/// leaves in order if it comes.
struct Child {
  explicit Child(bool leaves) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    fork = start_fork([&]() -> std::string {
      sigset_t asked;
      sigemptyset(&asked);
      sigaddset(&asked, SIGUSR1);
      sigprocmask(SIG_BLOCK, &asked, nullptr);
      auto monitor = std::make_unique<PeerMonitor>();
      ssize_t bytes = write(ends[1], monitor->address().data(), monitor->address().size());
      int signal = 0;
      sigwait(&asked, &signal);
      if (leaves)
        monitor.reset();
      return bytes > 0 ? "" : "no address";
    });
    char name[64];
    address.assign(name, size_t(std::max<ssize_t>(0, read(ends[0], name, sizeof name))));
    close(ends[0]);
    close(ends[1]);
  }
  Fork fork;
  std::string address;
};

bool becomes_true(const std::atomic<bool> &flag) {
  for (int i = 0; i < 200 && !flag; ++i)
    usleep(10000);
  return flag;
}

} // namespace

TEST(PeerMonitor, notices_a_process_that_is_killed) {
  Child child(false);
  ASSERT_NE(child.address, "");
  std::atomic<bool> is_dead{false};
  PeerMonitor own;
  own.watch(child.address, [&] { is_dead = true; });
  usleep(50000);
  EXPECT_FALSE(is_dead);
  kill(child.fork.pid, SIGKILL); // and nobody has reaped it
  EXPECT_TRUE(becomes_true(is_dead));
  finish_fork(child.fork);
}

TEST(PeerMonitor, notices_a_process_that_ends_by_itself_without_leaving) {
  Child child(false);
  std::atomic<bool> is_dead{false};
  PeerMonitor own;
  own.watch(child.address, [&] { is_dead = true; });
  // The child's work is done, but its monitor is destroyed only with the function: end it harder.
  kill(child.fork.pid, SIGTERM);
  EXPECT_TRUE(becomes_true(is_dead));
  finish_fork(child.fork);
}

TEST(PeerMonitor, lets_a_process_leave) {
  Child child(true);
  std::atomic<bool> is_dead{false};
  PeerMonitor own;
  own.watch(child.address, [&] { is_dead = true; });
  kill(child.fork.pid, SIGUSR1);
  EXPECT_EQ(finish_fork(child.fork), "");
  usleep(100000);
  EXPECT_FALSE(is_dead);
}

TEST(PeerMonitor, ends_while_it_watches_or_has_nothing_to_watch) {
  PeerMonitor a;
  {
    PeerMonitor b;
    b.watch(a.address(), [] { ADD_FAILURE(); });
    PeerMonitor c;
    c.watch("no such name", [] { ADD_FAILURE(); });
    c.watch("", [] { ADD_FAILURE(); });
  }
}

TEST(PeerMonitor, does_not_wait_for_a_process_that_takes_nobody) {
  PeerMonitor full; // as of a process that is stopped: nobody is taken from its queue
  std::vector<std::unique_ptr<PeerMonitor>> watchers;
  for (int i = 0; i < 20; ++i) { // more than the queue has room for
    watchers.push_back(std::make_unique<PeerMonitor>());
    if (i < 18)
      watchers.back()->watch(full.address(), [] {});
  }
  watchers.back()->watch(full.address(), [] {}); // returns
}
