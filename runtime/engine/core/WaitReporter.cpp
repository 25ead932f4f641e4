// Looking now and then whether a wait lasts too long.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/core/WaitReporter.h"

#include "runtime/engine/core/Context.h"
#include "runtime/support/Stopwatch.h"
#include "runtime/support/system/HeldSignals.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tutti::runtime {
namespace {

constexpr int64_t text_bytes = 4096;

} // namespace

WaitReporter::Scope::Scope(WaitReporter *given, Thread thread, Kind kind, int64_t plan_entry)
    : reporter(given), thread(thread) {
  if (!reporter)
    return;
  Wait &wait = reporter->waits[thread];
  wait.begin = Stopwatch::ticks();
  wait.kind = kind;
  wait.plan_entry = plan_entry;
  ++wait.number;
}

/// The service is not asked after the end of a wait: it may go then.
WaitReporter::Scope::~Scope() {
  if (!reporter)
    return;
  ++reporter->waits[thread].number;
  std::lock_guard<std::mutex> until_told(reporter->reporting);
}

WaitReporter::WaitReporter(const tutti_context &context, const tutti_row_service &service)
    : context(context), service(service) {
  HeldSignals held; // the thread inherits it
  thread = std::thread([this] { loop(); });
}

WaitReporter::~WaitReporter() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    is_ending = true;
  }
  changed.notify_all();
  thread.join();
}

void WaitReporter::loop() {
  constexpr double most = 0.5, looks_in_limit = 10;
  std::chrono::duration<double> pause(
      std::min(most, context.limits.stall_warning / looks_in_limit));
  uint64_t warned[2] = {0, 0};
  std::unique_lock<std::mutex> lock(mutex);
  while (!changed.wait_for(lock, pause, [&] { return is_ending; }))
    for (Thread which : {caller, beside})
      look(waits[which], warned[which]);
}

/// Warns once of each wait.
void WaitReporter::look(Wait &wait, uint64_t &warned) {
  uint64_t number = wait.number;
  if (number % 2 == 0 || number == warned)
    return;
  double seconds = Stopwatch::seconds_since(wait.begin);
  Kind kind = wait.kind;
  int64_t plan_entry = wait.plan_entry;
  std::lock_guard<std::mutex> lock(reporting);
  if (wait.number != number || seconds < context.limits.stall_warning)
    return;
  warned = number;
  warn(kind, plan_entry);
}

void WaitReporter::warn(Kind kind, int64_t plan_entry) const {
  std::string waits = told();
  if (kind == Kind::collective && waits.empty()) // its backend says the rest
    return;
  std::string what = kind == Kind::pull
                         ? text("waited ", context.limits.stall_warning, " s for rows")
                         : "others wait for rows";
  std::fprintf(stderr, "tutti: warning: %s: %s%s%s\n", context.where(plan_entry).c_str(),
               what.c_str(), waits.empty() ? "" : "; at the servers: ", waits.c_str());
}

std::string WaitReporter::told() const {
  char text[text_bytes] = "";
  service.tell_waits(service.teller, text, text_bytes);
  return text;
}

std::string WaitReporter::addition() const {
  bool is_in_pull = waits[caller].number % 2 == 1 && waits[caller].kind == Kind::pull;
  std::string waits = is_in_pull ? "" : told();
  return waits.empty() ? "" : "; at the servers: " + waits;
}

} // namespace tutti::runtime
