// Barrier, ball game and clock of the benchmark.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/benchmarks/collectives/Meeting.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tutti::benchmarks {
namespace {

/// Waits until `is_done`; gives the processor to others when that takes long.
template <typename IsDone> void poll(IsDone is_done) {
  for (int64_t turn = 0; !is_done(); ++turn)
    if (turn > 200)
      sched_yield();
}

double system_nanoseconds() {
  using namespace std::chrono;
  return double(
      duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

#if defined(__x86_64__)
double nanoseconds_per_tick() {
  double begin = system_nanoseconds();
  unsigned processor;
  uint64_t first = __builtin_ia32_rdtscp(&processor);
  usleep(20000);
  uint64_t last = __builtin_ia32_rdtscp(&processor);
  return (system_nanoseconds() - begin) / double(last - first);
}
#endif

} // namespace

double nanoseconds() {
#if defined(__x86_64__)
  static const double scale = nanoseconds_per_tick();
  unsigned processor;
  return double(__builtin_ia32_rdtscp(&processor)) * scale;
#else
  return system_nanoseconds();
#endif
}

/// A processor of its own for each rank, if there are enough: all contestants get the same ones.
static void bind_to_processor(int64_t rank, int64_t ranks) {
  if (ranks > sysconf(_SC_NPROCESSORS_ONLN))
    return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(rank, &set);
  sched_setaffinity(0, sizeof set, &set); // a wish only: results say how far apart the ranks were
}

Meeting *Meeting::open(const char *path, int64_t rank, int64_t ranks) {
  int file = ::open(path, O_RDWR);
  if (file < 0 || ranks > most_ranks || ftruncate(file, sizeof(Shared)) != 0)
    return nullptr;
  void *memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED)
    return nullptr;
  bind_to_processor(rank, ranks);
  auto *meeting = new Meeting;
  meeting->shared = static_cast<Shared *>(memory);
  meeting->own_rank = rank;
  meeting->size = ranks;
  return meeting;
}

void Meeting::barrier() {
  shared->arrivals[own_rank].value.store(++epoch, std::memory_order_release);
  for (int64_t peer = 0; peer < size; ++peer)
    poll([&] { return shared->arrivals[peer].value.load(std::memory_order_acquire) >= epoch; });
}

int64_t Meeting::agree(int64_t value) {
  if (own_rank == 0)
    shared->agreed = value;
  barrier();
  int64_t agreed = shared->agreed;
  barrier();
  return agreed;
}

double Meeting::measure_hand_over() {
  if (size != 2)
    return 0;
  constexpr uint64_t turns = 8;
  barrier();
  double least = 1e9; // an interruption makes a game longer, and no processors farther apart
  for (int64_t game = 0; game < 4; ++game) {
    double begin = nanoseconds();
    for (uint64_t turn = 0; turn < turns; ++turn, ++throws) {
      if (throws % 2 == uint64_t(own_rank))
        shared->ball.value.store(throws + 1, std::memory_order_release);
      else
        poll([&] { return shared->ball.value.load(std::memory_order_acquire) == throws + 1; });
    }
    least = std::min(least, (nanoseconds() - begin) / double(turns));
  }
  return least;
}

} // namespace tutti::benchmarks
