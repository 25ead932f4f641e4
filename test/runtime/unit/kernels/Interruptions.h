// Signals while a kernel runs. oneDNN's products use a block of the heap as their stack: a handler
// that ran there would overwrite the heap (HeldSignals).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_RUNTIME_UNIT_KERNELS_INTERRUPTIONS_H
#define TEST_RUNTIME_UNIT_KERNELS_INTERRUPTIONS_H

#include <atomic>
#include <csignal>
#include <ctime>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

/// Signals every 50 us, whose handler notes whether it ran on the stack of the thread.
class Interruptions {
public:
  Interruptions() {
    pthread_attr_t attributes;
    pthread_getattr_np(pthread_self(), &attributes);
    void *lowest;
    size_t bytes;
    pthread_attr_getstack(&attributes, &lowest, &bytes);
    pthread_attr_destroy(&attributes);
    stack_begin = reinterpret_cast<uintptr_t>(lowest);
    stack_end = stack_begin + bytes;
    handled = elsewhere = 0;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &old_action);
    sigevent event = {}; // for this thread: others of the process have stacks of their own
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    const timespec interval = {0, 50000};
    const itimerspec times = {interval, interval};
    timer_settime(timer, 0, &times, nullptr);
  }
  ~Interruptions() {
    timer_delete(timer);
    sigaction(SIGALRM, &old_action, nullptr);
  }

  static inline std::atomic<int> handled, elsewhere;

private:
  static void note(int) {
    auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    ++handled;
    if (frame < stack_begin || frame >= stack_end)
      ++elsewhere;
  }
  static inline uintptr_t stack_begin, stack_end;
  struct sigaction old_action;
  timer_t timer;
};

/// Calls `kernel` until 500 signals came, none of which may have been handled elsewhere than on
/// the stack of the thread.
template <typename Kernel> void expect_handlers_on_the_stack(Kernel kernel) {
  kernel(); // makes what is kept between calls
  Interruptions interruptions;
  for (int call = 0; call < 1000000 && interruptions.handled < 500; ++call)
    kernel();
  EXPECT_GE(interruptions.handled, 500);
  EXPECT_EQ(interruptions.elsewhere, 0);
}

#endif // TEST_RUNTIME_UNIT_KERNELS_INTERRUPTIONS_H
