// The one procedure by which every contestant is measured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_BENCHMARKS_COLLECTIVES_MEASURE_H
#define TUTTI_TEST_BENCHMARKS_COLLECTIVES_MEASURE_H

#include "test/benchmarks/collectives/Contestant.h"
#include "test/benchmarks/collectives/Meeting.h"

#include <functional>
#include <string>
#include <vector>

namespace tutti::benchmarks {

/// What to measure, from the command line.
struct Settings {
  int64_t ranks = 2;
  std::string meeting; ///< path of an empty file
  std::string operation = "all_reduce";
  bool is_shared = false;
  std::vector<int64_t> sizes; ///< bytes of a rank's buffer
  double seconds = 0.2;       ///< for each size

  /// --ranks N --meeting FILE --operation NAME --buffers shared|private --sizes A,B --seconds S.
  /// False, after a word on stderr, if the arguments are others.
  bool parse(int count, char **arguments);
};

/// Measures on one rank; rank 0 prints a line of JSON for each size. Before each call the buffer is
/// rewritten, after it the result is read and checked; only the call is timed, and the sample is
/// the time of the slowest rank. Returns an exit status.
int measure(Contestant &contestant, Meeting &meeting, const Settings &settings);

/// Runs `rank_main(rank)` in a process for each rank; returns an exit status.
int run_forked(int64_t ranks, const std::function<int(int64_t rank)> &rank_main);

} // namespace tutti::benchmarks

#endif // TUTTI_TEST_BENCHMARKS_COLLECTIVES_MEASURE_H
