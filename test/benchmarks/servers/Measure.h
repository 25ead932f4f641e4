// The one procedure by which every way of holding rows elsewhere is measured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_BENCHMARKS_SERVERS_MEASURE_H
#define TUTTI_TEST_BENCHMARKS_SERVERS_MEASURE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::benchmarks {

/// What to measure, from the command line.
struct Settings {
  std::string way = "memory"; ///< memory, unix or tcp
  int64_t servers = 1;
  int64_t rows = 1000000;         ///< of the table
  int64_t batch = 8192;           ///< distinct rows of a step
  double seconds = 1;             ///< to measure
  std::vector<std::string> files; ///< what a contestant wants beside

  static constexpr int64_t width = 16; ///< f32 of a row

  /// --way NAME --servers N --rows N --batch N --seconds S FILE... False, after a word on stderr,
  /// if the arguments are others.
  bool parse(int count, char **arguments);
};

/// A worker whose rows are with servers. Failures end the process, with a word on stderr.
class Contestant {
public:
  virtual ~Contestant() = default;
  /// Brings `rows`, all distinct, as they are in step `step`, one after the other.
  virtual void pull(int64_t step, const std::vector<int64_t> &rows, float *values) = 0;
  /// Makes each row its old value, which `values` are, minus 0.5 times its gradient. Returns when
  /// servers have it. `values` may be overwritten.
  virtual void push(int64_t step, const std::vector<int64_t> &rows, float *values,
                    const float *gradients) = 0;
};

/// In each step pulls other rows, and pushes gradients of them. Prints a line of JSON: rows a
/// second that are pulled, that are pushed, and that a step pulls and pushes, each the median over
/// steps. Every tenth step checks what has become of the rows of the last. Returns an exit status.
int measure(Contestant &contestant, const Settings &settings);

} // namespace tutti::benchmarks

#endif // TUTTI_TEST_BENCHMARKS_SERVERS_MEASURE_H
