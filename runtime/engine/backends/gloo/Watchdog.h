// A thread that checks waits: those inside Gloo do not return before they are complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_WATCHDOG_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_WATCHDOG_H

#include "runtime/engine/backends/plugin/StallWatch.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tutti::runtime::gloo_backend {

class Watchdog {
public:
  explicit Watchdog(plugin::NoteBoard &board, const tutti_limits &limits);
  ~Watchdog();

  /// A wait that is checked, from construction to destruction.
  class Guard {
  public:
    /// `pending` is called from the watchdog's thread: who is waited for.
    Guard(Watchdog &dog, plugin::Place place, std::function<std::vector<int32_t>()> pending);
    ~Guard();
    /// Calls `given` when there is a reason to end the wait, from the watchdog's thread or at once:
    /// for waits that cannot ask. Not called after destruction.
    void when_found(std::function<void()> given);
    /// TUTTI_OK unless the watchdog has found a reason to end the wait; then message() has it. Who
    /// waits asks, and ends.
    int32_t status();
    std::string message();
    /// Checks once more, and gives peers time to tell what happened to them.
    int32_t check_again();
    std::string waited_for();

  private:
    friend Watchdog;
    void check();

    Watchdog &dog;
    plugin::Place place;
    std::function<std::vector<int32_t>()> pending;
    std::function<void()> end; ///< may be null
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    std::unique_ptr<plugin::StallWatch> watch; ///< only of waits that are not short
    int32_t found = TUTTI_OK;
  };

private:
  void run();

  plugin::NoteBoard &board;
  tutti_limits limits;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Guard *> waits;
  bool is_over = false;
  std::thread thread;
};

} // namespace tutti::runtime::gloo_backend

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_GLOO_WATCHDOG_H
