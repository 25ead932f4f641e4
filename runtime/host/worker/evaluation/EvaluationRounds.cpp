// Dealing rows to ranks in rounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/worker/evaluation/EvaluationRounds.h"

#include <algorithm>
#include <cmath>

namespace tutti::runtime::worker {

EvaluationRounds::EvaluationRounds(std::vector<int64_t> given, int64_t rows)
    : batches(std::move(given)), rows(rows) {
  for (int64_t batch : batches) {
    offsets.push_back(window);
    window += batch;
  }
}

int64_t EvaluationRounds::taken(int64_t round, int32_t rank) const {
  return std::clamp(rows - first(round, rank), int64_t(0), batches[rank]);
}

std::vector<int64_t> EvaluationRounds::batch_of(int64_t round, int32_t rank,
                                                int64_t repeated) const {
  std::vector<int64_t> chosen(batches[rank], rows - 1);
  for (size_t i = 0; i < chosen.size() && repeated > 0; ++i)
    chosen[i] = first(round, rank) + int64_t(i) % repeated;
  return chosen;
}

std::vector<int64_t> EvaluationRounds::prefixes(int64_t round, int32_t rank) const {
  std::vector<int64_t> lengths = {taken(round, rank)};
  while (lengths.back() > 0 && batches[rank] % lengths.back() > 0)
    lengths.push_back(batches[rank] % lengths.back());
  return lengths;
}

int64_t EvaluationRounds::calls(int64_t round) const {
  if ((round + 1) * window <= rows) // all batches are full
    return 1;
  size_t most = 1;
  for (size_t rank = 0; rank < batches.size(); ++rank)
    most = std::max(most, prefixes(round, int32_t(rank)).size());
  return int64_t(most);
}

double sum_over_rows(int64_t batch, const std::vector<int64_t> &prefixes,
                     const std::vector<double> &sums) {
  double sum = 0;
  for (size_t i = prefixes.size(); i-- > 0;)
    if (prefixes[i] > 0) // what is infinite stays so
      sum = std::isfinite(sum) ? (sums[i] - sum) / double(batch / prefixes[i]) : sums[i];
  return sum;
}

} // namespace tutti::runtime::worker
