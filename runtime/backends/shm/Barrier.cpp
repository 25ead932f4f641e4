// A barrier of counters: each rank counts its arrivals on a line of its own and reads those of the
// others, so that whoever waits can name who is missing. Steps: one store, N - 1 loads. Nothing is
// written by two ranks but the words that put to sleep and wake.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backends/shm/Barrier.h"

#include "runtime/core/Context.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tutti::runtime::shm {
namespace {

using Clock = std::chrono::steady_clock;

// A hand-over by spinning takes 0.03 us, by sched_yield 0.2 to 1.3 us, by futex some 25 us: spin
// for about as long as going to sleep costs, yield for a few times that, then sleep.
constexpr int64_t spins_with_own_processor = 1000;
constexpr int64_t yields_before_sleep = 200;
constexpr long doze_nanoseconds = 50'000'000; // look at the clock and the abort word this often

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

int64_t processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

} // namespace

struct Barrier::Waiting {
  tutti_context *context;
  int64_t plan_entry;
  Clock::time_point begin = Clock::now();
};

Barrier::Barrier(Segment &segment, int64_t rank, StallLimits limits, int64_t busy_threads)
    : segment(segment), rank(rank), limits(limits),
      spins(busy_threads <= processors() ? spins_with_own_processor : 1),
      epoch(segment.slot(rank).arrivals.load()) {}

int32_t Barrier::wait(tutti_context *context, int64_t plan_entry) {
  RankSlot &own = segment.slot(rank);
  own.plan_entry.store(plan_entry, std::memory_order_relaxed);
  // Sequentially consistent, as in doze(): either the sleeper sees this arrival or we see the
  // sleeper.
  own.arrivals.store(++epoch);
  if (segment.control().sleepers.load() != 0)
    segment.wake_all();
  if (spin() || yield())
    return TUTTI_OK;
  Waiting waiting = {context, plan_entry};
  return sleep(waiting);
}

bool Barrier::has_arrived(int64_t peer) const {
  return segment.slot(peer).arrivals.load(std::memory_order_acquire) >= epoch;
}

bool Barrier::all_arrived() const {
  for (int64_t peer = 0; peer < segment.ranks(); ++peer)
    if (!has_arrived(peer))
      return false;
  return true;
}

bool Barrier::spin() const {
  int64_t peer = 0;
  for (int64_t left = spins; left > 0; --left) {
    while (peer < segment.ranks() && has_arrived(peer))
      ++peer;
    if (peer == segment.ranks())
      return true;
    relax();
  }
  return false;
}

bool Barrier::yield() const {
  for (int64_t left = yields_before_sleep; left > 0; --left) {
    if (all_arrived())
      return true;
    if (segment.aborted().kind != AbortKind::none)
      return false;
    sched_yield();
  }
  return false;
}

int32_t Barrier::sleep(Waiting &waiting) {
  for (;;) {
    // First the arrivals: a rank that stops the run after this barrier must not make others fail in
    // it.
    if (all_arrived())
      return TUTTI_OK;
    if (segment.aborted().kind != AbortKind::none)
      return stop(waiting);
    if (int32_t status = check_time(waiting))
      return status;
    doze();
  }
}

void Barrier::doze() const {
  ControlBlock &control = segment.control();
  control.sleepers.fetch_add(1);
  uint32_t seen = control.wake.load();
  if (!all_arrived() && control.abort_word.load() == 0) {
    timespec limit = {0, doze_nanoseconds};
    syscall(SYS_futex, &control.wake, FUTEX_WAIT, seen, &limit, nullptr, 0);
  }
  control.sleepers.fetch_sub(1);
}

int32_t Barrier::check_time(Waiting &waiting) {
  double seconds = std::chrono::duration<double>(Clock::now() - waiting.begin).count();
  if (seconds >= limits.error) {
    tutti_context *context = waiting.context;
    context->fail(TUTTI_STALLED,
                  text(context->where(waiting.plan_entry), ": waited ",
                       double(int64_t(seconds * 10)) / 10, " s for ", missing_ranks(),
                       ". Raise the limit for a stall if this can take so long."));
    return context->status;
  }
  if (seconds >= limits.warning)
    warn(waiting, seconds);
  return TUTTI_OK;
}

void Barrier::warn(const Waiting &waiting, double seconds) {
  std::atomic<uint64_t> &warned = segment.control().warned;
  uint64_t last = warned.load();
  if (last >= epoch || !warned.compare_exchange_strong(last, epoch))
    return;
  std::fprintf(stderr, "tutti: warning: %s: waited %.1f s for %s\n",
               waiting.context->where(waiting.plan_entry).c_str(), seconds,
               missing_ranks().c_str());
}

std::string Barrier::missing_ranks() const {
  std::string all;
  for (int64_t peer = 0; peer < segment.ranks(); ++peer) {
    if (has_arrived(peer))
      continue;
    const RankSlot &slot = segment.slot(peer);
    all += all.empty() ? "" : ", ";
    all += slot.state.load() == rank_absent
               ? text("rank ", peer, " (not started)")
               : text("rank ", peer, " (process ", slot.process.load(), ", at step ",
                      slot.step.load(), ", last seen in plan entry ", slot.plan_entry.load(), ")");
  }
  return all;
}

int32_t Barrier::stop(const Waiting &waiting) {
  Abort abort = segment.aborted();
  int32_t status = TUTTI_PEER_FAILED;
  if (abort.kind == AbortKind::killed || abort.kind == AbortKind::exited)
    status = TUTTI_RANK_DIED;
  else if (abort.kind == AbortKind::interrupted)
    status = TUTTI_INTERRUPTED;
  waiting.context->fail(
      status, text(segment.abort_text(), "; stopped ", waiting.context->where(waiting.plan_entry)));
  return waiting.context->status;
}

} // namespace tutti::runtime::shm
