// Signals that ask to stop, in a launcher and in a rank, each in a process of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/run/StopSignals.h"
#include "runtime/support/Error.h"
#include "runtime/support/system/HeldSignals.h"
#include "test/runtime/Fork.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

/// What `body` answers in a process of its own, or how that died.
std::string in_child(const std::function<std::string()> &body) {
  return finish_fork(start_fork(body));
}

bool is_readable(int descriptor) {
  pollfd one = {descriptor, POLLIN, 0};
  return poll(&one, 1, 0) == 1;
}

void (*handler_of(int signal))(int) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

constexpr useconds_t long_enough = 250000; // for a second signal to be meant

} // namespace

TEST(StopSignals, are_handed_out_in_their_order) {
  EXPECT_EQ(in_child([] {
              StopSignals signals;
              if (is_readable(signals.descriptor()) || signals.take() != 0)
                return text("a signal came from nowhere");
              raise(SIGTERM);
              raise(SIGINT);
              if (!is_readable(signals.descriptor()))
                return text("nobody is woken");
              int first = signals.take(), second = signals.take(), third = signals.take();
              return text(first, " ", second, " ", third);
            }),
            text(SIGTERM, " ", SIGINT, " 0"));
}

TEST(StopSignals, are_again_what_they_were) {
  EXPECT_EQ(in_child([] {
              std::signal(SIGTERM, SIG_IGN);
              {
                StopSignals signals;
                if (handler_of(SIGTERM) == SIG_IGN || handler_of(SIGINT) == SIG_DFL)
                  return text("not handled");
              }
              bool are_old = handler_of(SIGTERM) == SIG_IGN && handler_of(SIGINT) == SIG_DFL;
              return text(are_old ? "" : "still handled");
            }),
            "");
}

TEST(StopSignals, leave_a_hangup_that_is_ignored) {
  for (auto ignored : {SIG_IGN, SIG_DFL})
    EXPECT_EQ(in_child([ignored] {
                std::signal(SIGHUP, ignored); // as nohup does
                StopSignals signals;
                raise(SIGHUP);
                StopRequest request(/*has_launcher=*/false);
                raise(SIGHUP);
                return text(signals.take(), " ", request.signal());
              }),
              ignored == SIG_IGN ? "0 0" : text(SIGHUP, " ", SIGHUP));
}

TEST(StopSignals, leave_those_of_batch_systems_that_are_ignored) {
  for (int signal : {SIGUSR1, SIGUSR2, SIGXCPU})
    EXPECT_EQ(in_child([signal] {
                std::signal(signal, SIG_IGN); // as trap '' does
                StopSignals signals;
                StopRequest request(/*has_launcher=*/false);
                raise(signal);
                return text(signals.take(), " ", request.signal());
              }),
              "0 0");
}

TEST(StopSignals, are_those_of_people_terminals_and_batch_systems) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU})
    EXPECT_EQ(in_child([signal] {
                StopSignals signals;
                raise(signal);
                return text(signals.take());
              }),
              text(signal));
}

TEST(StopRequest, notes_the_first_signal) {
  for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGUSR2, SIGXCPU})
    EXPECT_EQ(in_child([signal] {
                StopRequest request(/*has_launcher=*/false);
                if (request.signal() != 0)
                  return text("noted before it came");
                raise(signal);
                raise(SIGTERM); // at once: some launchers pass on what the terminal has sent
                return text(request.signal());
              }),
              text(signal));
}

TEST(StopRequest, ends_the_process_when_asked_again) {
  std::string death = in_child([] {
    StopRequest request(/*has_launcher=*/false);
    raise(SIGTERM);
    usleep(long_enough);
    raise(SIGINT);
    return text("it lives");
  });
  EXPECT_THAT(death, HasSubstr("signal 2"));
}

TEST(StopRequest, is_no_second_one_where_the_system_repeats_it) {
  EXPECT_EQ(in_child([] {
              StopRequest request(/*has_launcher=*/false);
              for (int i = 0; i < 2; ++i) {
                raise(SIGXCPU);
                usleep(long_enough);
              }
              return text(request.signal());
            }),
            text(SIGXCPU));
}

TEST(StopRequest, of_a_batch_system_is_heeded_by_a_rank_with_a_launcher) {
  for (int signal : {SIGUSR1, SIGUSR2, SIGXCPU})
    EXPECT_EQ(in_child([signal] {
                StopRequest request(/*has_launcher=*/true);
                raise(signal);
                return text(request.signal());
              }),
              text(signal));
}

TEST(StopRequest, goes_to_the_launcher_from_a_server_that_is_out_of_time) {
  EXPECT_EQ(in_child([] {
              StopSignals launcher;
              finish_fork(start_fork([] {
                leave_stopping_to_launcher();
                for (int signal : stop_signals) // of which the launcher has its own
                  raise(signal);
                return text("");
              }));
              int first = launcher.wait(10), second = launcher.take();
              return text(first, " ", second);
            }),
            text(SIGXCPU, " 0"));
}

/// What a rank says or how it dies that the terminal asked, and its parent so many times after
/// that.
std::string passed_on(int times) {
  int ready[2];
  if (pipe(ready) != 0)
    return "no pipe";
  Fork rank = start_fork([&] {
    StopRequest request(/*has_launcher=*/false);
    sigset_t held, none;
    sigemptyset(&none);
    sigemptyset(&held);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, nullptr);
    raise(SIGINT);
    for (int i = 0; i < times; ++i) {
      usleep(long_enough);
      (void)!write(ready[1], "x", 1);
      sigsuspend(&none); // until the parent's signal was handled
    }
    sigprocmask(SIG_UNBLOCK, &held, nullptr);
    return text(request.signal());
  });
  close(ready[1]);
  for (char byte; read(ready[0], &byte, 1) == 1;)
    kill(rank.pid, SIGTERM);
  close(ready[0]);
  return finish_fork(rank);
}

TEST(StopRequest, is_the_same_when_the_launcher_passes_it_on_late) {
  EXPECT_EQ(passed_on(1), text(SIGINT));
  EXPECT_THAT(passed_on(2), HasSubstr("signal 15"));
}

TEST(StopRequest, leaves_the_terminal_to_its_launcher) {
  EXPECT_EQ(in_child([] {
              std::signal(SIGINT, SIG_IGN);
              StopRequest request(/*has_launcher=*/true);
              raise(SIGINT);
              if (handler_of(SIGINT) != SIG_IGN || request.signal() != 0)
                return text("SIGINT is handled");
              raise(SIGTERM);
              return text(request.signal());
            }),
            text(SIGTERM));
}

TEST(StopRequest, begins_anew_in_the_next_run) {
  EXPECT_EQ(in_child([] {
              {
                StopRequest first(/*has_launcher=*/false);
                raise(SIGTERM);
              }
              StopRequest second(/*has_launcher=*/false);
              return text(second.signal());
            }),
            "0");
}

TEST(StopRequest, takes_what_no_thread_has_taken_yet) {
  for (bool has_launcher : {true, false})
    EXPECT_EQ(in_child([=]() -> std::string {
                HeldSignals held; // as of a thread for signals that has not run yet
                {
                  StopRequest request(has_launcher);
                  kill(getpid(), SIGTERM);
                }
                sigset_t pending;
                sigpending(&pending);
                return sigismember(&pending, SIGTERM) ? "it ends the process once somebody takes it"
                                                      : "";
              }),
              "");
}
