// The order of samples in an epoch: one seed, the same on all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_DATA_EPOCH_H
#define TUTTI_RUNTIME_DATA_EPOCH_H

#include <cstdint>
#include <vector>

namespace tutti::runtime::data {

/// A permutation of 0 .. rows - 1 that depends on the seed and the epoch only (Fisher and Yates,
/// driven by SplitMix64), or the plain order when not shuffled.
std::vector<int64_t> epoch_order(int64_t rows, uint64_t seed, int64_t epoch, bool is_shuffled);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_DATA_EPOCH_H
