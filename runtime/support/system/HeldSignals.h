// Keeping the handlers of signals away from a thread while it must not run any.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_SYSTEM_HELDSIGNALS_H
#define TUTTI_RUNTIME_SUPPORT_SYSTEM_HELDSIGNALS_H

#include <csignal>
#include <optional>
#include <semaphore.h>
#include <thread>

namespace tutti::runtime {

/// Holds back the signals of this thread, and of the threads it makes, while it lives. Faults of
/// the thread itself stay deliverable. Within another one on the same thread it costs nothing.
class HeldSignals {
public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals &) = delete;

private:
  bool is_outermost;
  sigset_t before;
};

/// While it lives, the signals of this process go to a thread that does nothing else: their
/// handlers run there, and the thread that made this one holds its own back. Where the system
/// allows no more threads, signals go where they went. Ends on the thread that made it.
class SignalThread {
public:
  SignalThread();
  ~SignalThread();
  SignalThread(const SignalThread &) = delete;

private:
  sem_t is_over;
  std::thread thread;
  std::optional<HeldSignals> held; ///< after the thread, which must not inherit it
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_SYSTEM_HELDSIGNALS_H
