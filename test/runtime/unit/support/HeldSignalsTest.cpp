// Which thread runs the handler of a signal, and when.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/HeldSignals.h"
#include "runtime/support/Error.h"
#include "test/runtime/Fork.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

std::atomic<int> handled = 0;
std::atomic<pid_t> handler_thread = 0;

void note(int) {
  handler_thread = gettid();
  ++handled;
}

/// What `body` answers in a process of its own, where SIGTERM is noted.
std::string in_child(const std::function<std::string()> &body) {
  return finish_fork(start_fork([&] {
    std::signal(SIGTERM, note);
    return body();
  }));
}

/// Whether a SIGTERM that is sent to the process is handled within five seconds.
bool is_handled_soon() {
  int before = handled;
  kill(getpid(), SIGTERM);
  for (int i = 0; i < 5000 && handled == before; ++i)
    usleep(1000);
  return handled != before;
}

} // namespace

TEST(HeldSignals, let_a_handler_run_after_them) {
  EXPECT_EQ(in_child([] {
              {
                HeldSignals held;
                raise(SIGTERM);
                if (handled != 0)
                  return text("handled while held");
              }
              return text(handled.load());
            }),
            "1");
}

TEST(HeldSignals, end_with_the_outermost) {
  EXPECT_EQ(in_child([] {
              {
                HeldSignals outer;
                { HeldSignals inner; }
                raise(SIGTERM);
                if (handled != 0)
                  return text("the inner one let it through");
              }
              { HeldSignals later; }
              raise(SIGTERM);
              return text(handled.load());
            }),
            "2");
}

TEST(HeldSignals, let_faults_through) {
  EXPECT_THAT(in_child([] {
                HeldSignals held;
                std::signal(SIGSEGV, SIG_DFL);
                raise(SIGSEGV);
                return text("it lives");
              }),
              HasSubstr("signal 11"));
}

TEST(SignalThread, runs_the_handlers) {
  EXPECT_EQ(in_child([] {
              pid_t own = gettid();
              {
                SignalThread takes_signals;
                for (int i = 0; i < 3; ++i)
                  if (!is_handled_soon() || handler_thread == own)
                    return text("handled by ", handler_thread.load(), " of ", own);
                HeldSignals nested;
                if (!is_handled_soon())
                  return text("nobody takes it");
              }
              bool is_own_again = is_handled_soon() && handler_thread == own;
              return text(is_own_again ? "" : "the thread does not take its signals again");
            }),
            "");
}

TEST(SignalThread, is_missed_by_nobody_where_there_can_be_none) {
  EXPECT_EQ(in_child([] {
              rlimit none = {0, 0};
              if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(65534) != 0))
                return text("no limit on threads"); // root has none
              SignalThread takes_signals;
              bool is_own = is_handled_soon() && handler_thread == gettid();
              return text(is_own ? "" : "a thread was made, or the signal lost");
            }),
            "");
}
