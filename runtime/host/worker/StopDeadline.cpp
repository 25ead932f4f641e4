// Looking at the clock beside the steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/StopDeadline.h"

#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/HeldSignals.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace tutti::runtime::worker {

StopDeadline::StopDeadline(double seconds, std::function<int()> signal,
                           std::function<std::string()> describe)
    : seconds(seconds), signal(std::move(signal)), describe(std::move(describe)) {
  HeldSignals held; // the new thread handles none
  try {
    thread = std::thread([this] { watch(); });
  } catch (const std::system_error &) {
    std::fprintf(stderr, "warning: no thread can be started; --grace-period does not hold\n");
  }
}

StopDeadline::~StopDeadline() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    is_over = true;
  }
  ended.notify_all();
  if (thread.joinable())
    thread.join();
}

void StopDeadline::watch() {
  constexpr std::chrono::milliseconds between_looks(100);
  std::optional<Stopwatch> since;
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, between_looks, [&] { return is_over; })) {
    int number = signal();
    if (number != 0 && !since)
      since.emplace();
    if (!since || since->seconds() < seconds)
      continue;
    std::fprintf(stderr, "dist-run: error: %s\n", describe().c_str());
    std::signal(number, SIG_DFL);
    kill(getpid(), number);
    return;
  }
}

} // namespace tutti::runtime::worker
