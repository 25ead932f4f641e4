// Which rows of a dataset each rank evaluates, and when.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_WORKER_EVALUATION_EVALUATIONROUNDS_H
#define TUTTI_RUNTIME_HOST_WORKER_EVALUATION_EVALUATIONROUNDS_H

#include <cstdint>
#include <vector>

namespace tutti::runtime::worker {

/// Rows that are dealt to ranks round by round: in each, every rank takes as many of the next rows
/// as its own batch holds, rank 0 first. Ranks may have batches of several sizes. Arithmetic
/// without state, so that every rank knows what the others do.
class EvaluationRounds {
public:
  /// `batches` has one size for each rank, all positive.
  EvaluationRounds(std::vector<int64_t> batches, int64_t rows);

  /// How many rounds take all rows.
  int64_t count() const { return (rows + window - 1) / window; }
  /// How many rows `rank` takes: its batch, fewer where rows run out, or none.
  int64_t taken(int64_t round, int32_t rank) const;
  /// The rows of one batch of `rank` that begins with the first `repeated` of those that it takes:
  /// they are repeated until the batch is full. Where they are none it is the last row of all.
  std::vector<int64_t> batch_of(int64_t round, int32_t rank, int64_t repeated) const;

  /// How many of its first rows `rank` repeats in one call after the other, so that the sum over
  /// the rows that it takes follows from sums over whole batches: all of them, then those that
  /// stand once more in that batch than others do, and so on. Never empty.
  std::vector<int64_t> prefixes(int64_t round, int32_t rank) const;
  /// The largest number of such calls of any rank.
  int64_t calls(int64_t round) const;

private:
  int64_t first(int64_t round, int32_t rank) const { return round * window + offsets[rank]; }

  std::vector<int64_t> batches, offsets;
  int64_t rows, window = 0; ///< rows of one round
};

/// The sum over the first `prefixes.front()` rows of a batch of `batch`, from `sums`: of each of
/// the prefixes the sum over the batch that repeats it. Every such sum is divided by how often its
/// prefix is repeated, so that no digits are lost.
double sum_over_rows(int64_t batch, const std::vector<int64_t> &prefixes,
                     const std::vector<double> &sums);

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_WORKER_EVALUATION_EVALUATIONROUNDS_H
