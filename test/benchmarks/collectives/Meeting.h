// Where the ranks of one run of the benchmark meet, whatever library they measure: a small file
// that all of them map. It also measures how far apart two processors are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_BENCHMARKS_COLLECTIVES_MEETING_H
#define TUTTI_TEST_BENCHMARKS_COLLECTIVES_MEETING_H

#include <atomic>
#include <cstdint>

namespace tutti::benchmarks {

constexpr int64_t most_ranks = 16;
constexpr int64_t most_samples = 1000;

/// Time in nanoseconds since some moment, by the processor's own clock where there is one.
double nanoseconds();

class Meeting {
public:
  /// Maps the file at `path`, which starts empty; null if that fails.
  static Meeting *open(const char *path, int64_t rank, int64_t ranks);

  int64_t rank() const { return own_rank; }
  int64_t ranks() const { return size; }
  /// Returns when all ranks have called it, as close together as the processors allow.
  void barrier();
  /// What rank 0 says, on every rank.
  int64_t agree(int64_t value);
  /// Nanoseconds in which a cache line goes from rank 0 to rank 1; 0 with more ranks than two.
  double measure_hand_over();
  /// For rank 0, after a barrier: nanoseconds that each rank noted.
  double *notes(int64_t of_rank) { return shared->notes[of_rank]; }

private:
  struct Shared {
    struct alignas(128) Line {
      std::atomic<uint64_t> value;
    };
    Line arrivals[most_ranks];
    Line ball;
    int64_t agreed;
    double notes[most_ranks][most_samples];
  };

  Shared *shared = nullptr;
  int64_t own_rank = 0, size = 1;
  uint64_t epoch = 0, throws = 0;
};

} // namespace tutti::benchmarks

#endif // TUTTI_TEST_BENCHMARKS_COLLECTIVES_MEETING_H
