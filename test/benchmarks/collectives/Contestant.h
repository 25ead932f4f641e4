// What takes part in the benchmark of collectives: one communication library, on one rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_TEST_BENCHMARKS_COLLECTIVES_CONTESTANT_H
#define TUTTI_TEST_BENCHMARKS_COLLECTIVES_CONTESTANT_H

#include <cstdint>

namespace tutti::benchmarks {

class Contestant {
public:
  virtual ~Contestant() = default;

  /// Memory for `count` floats that lives as long as the contestant: where the library likes it
  /// best if `is_shared`, else as malloc gives it.
  virtual float *allocate(int64_t count, bool is_shared) = 0;
  /// In place; sum.
  virtual void all_reduce(float *values, int64_t count) = 0;
  /// In place, from rank 0.
  virtual void broadcast(float *values, int64_t count) = 0;
  /// `count` floats to and from each rank.
  virtual void all_to_all(const float *from, float *to, int64_t count) = 0;
};

} // namespace tutti::benchmarks

#endif // TUTTI_TEST_BENCHMARKS_COLLECTIVES_CONTESTANT_H
