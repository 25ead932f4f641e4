// Signal masks of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/system/HeldSignals.h"

#include <cerrno>
#include <system_error>

namespace tutti::runtime {

static thread_local bool are_held = false;

HeldSignals::HeldSignals() : is_outermost(!are_held) {
  if (!is_outermost)
    return;
  sigset_t held;
  sigfillset(&held);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&held, fault);
  pthread_sigmask(SIG_BLOCK, &held, &before);
  are_held = true;
}

HeldSignals::~HeldSignals() {
  if (!is_outermost)
    return;
  are_held = false;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SignalThread::SignalThread() {
  sem_init(&is_over, 0, 0);
  try {
    thread = std::thread([this] {
      while (sem_wait(&is_over) != 0 && errno == EINTR) // after each handler
        ;
    });
  } catch (const std::system_error &) {
    return;
  }
  held.emplace();
}

SignalThread::~SignalThread() {
  held.reset(); // first, so that someone always takes them
  sem_post(&is_over);
  if (thread.joinable())
    thread.join();
  sem_destroy(&is_over);
}

} // namespace tutti::runtime
