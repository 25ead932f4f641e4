// Checking waits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/gloo/Watchdog.h"

#include <algorithm>

namespace tutti::runtime::gloo_backend {
namespace {

// Waits shorter than this cost nothing but their entry in a list.
constexpr std::chrono::milliseconds unchecked_time(200);
constexpr std::chrono::milliseconds time_between_checks(100);

} // namespace

Watchdog::Watchdog(plugin::NoteBoard &board, const tutti_limits &limits)
    : board(board), limits(limits), thread([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    is_over = true;
  }
  changed.notify_all();
  thread.join();
}

void Watchdog::run() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!is_over) {
    changed.wait_for(lock, time_between_checks);
    auto now = std::chrono::steady_clock::now();
    for (Guard *wait : waits)
      if (now - wait->begin > unchecked_time)
        wait->check();
  }
}

Watchdog::Guard::Guard(Watchdog &dog, plugin::Place given,
                       std::function<std::vector<int32_t>()> pending)
    : dog(dog), place(std::move(given)), pending(std::move(pending)) {
  std::lock_guard<std::mutex> lock(dog.mutex);
  dog.waits.push_back(this);
}

Watchdog::Guard::~Guard() {
  std::lock_guard<std::mutex> lock(dog.mutex);
  dog.waits.erase(std::find(dog.waits.begin(), dog.waits.end(), this));
}

/// Called with the mutex held.
void Watchdog::Guard::check() {
  if (found != TUTTI_OK)
    return;
  if (!watch)
    watch = std::make_unique<plugin::StallWatch>(place, dog.limits, dog.board);
  found = watch->check(pending());
  if (found != TUTTI_OK && end)
    end();
}

void Watchdog::Guard::when_found(std::function<void()> given) {
  std::lock_guard<std::mutex> lock(dog.mutex);
  end = std::move(given);
  if (found != TUTTI_OK)
    end();
}

int32_t Watchdog::Guard::status() {
  std::lock_guard<std::mutex> lock(dog.mutex);
  return found;
}

std::string Watchdog::Guard::message() {
  std::lock_guard<std::mutex> lock(dog.mutex);
  return watch ? watch->message() : "";
}

int32_t Watchdog::Guard::check_again() {
  for (auto end = std::chrono::steady_clock::now() + unchecked_time;
       status() == TUTTI_OK && std::chrono::steady_clock::now() < end;) {
    {
      std::lock_guard<std::mutex> lock(dog.mutex);
      check();
    }
    std::this_thread::sleep_for(time_between_checks / 4);
  }
  return status();
}

std::string Watchdog::Guard::waited_for() {
  std::lock_guard<std::mutex> lock(dog.mutex);
  if (!watch)
    watch = std::make_unique<plugin::StallWatch>(place, dog.limits, dog.board);
  return watch->waited_for(pending());
}

} // namespace tutti::runtime::gloo_backend
