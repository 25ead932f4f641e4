// The order of samples in an epoch: one seed, the same on all ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_EPOCH_H
#define TUTTI_RUNTIME_HOST_DATA_EPOCH_H

#include <cstdint>
#include <vector>

namespace tutti::runtime::data {

/// A permutation of 0 .. rows - 1 that depends on the seed and the epoch only (Fisher and Yates,
/// driven by SplitMix64), or the plain order when not shuffled.
std::vector<int64_t> epoch_order(int64_t rows, uint64_t seed, int64_t epoch, bool is_shuffled);

/// How the samples of an epoch are shuffled.
struct Shuffling {
  bool is_shuffled = true;
  /// Neighbours of which so many stay together: blocks follow each other in random order, and the
  /// samples of each are shuffled. 0: all samples are one block.
  int64_t block = 0;
};

/// The order of one epoch. By blocks it needs memory for one block and the order of blocks, and
/// reads a file from one block after the other. Used by one thread at a time.
class EpochOrder {
public:
  EpochOrder(int64_t rows, uint64_t seed, int64_t epoch, const Shuffling &shuffling);
  /// The sample at a place of the epoch. Quick for places that follow each other.
  int64_t at(int64_t place);

private:
  int64_t rows, block;
  uint64_t seed;
  std::vector<int64_t> blocks;  ///< their order
  int64_t place_of_last = 0;    ///< of the last block, which may be short, in `blocks`
  int64_t current = -1;         ///< whose samples are in `samples`
  std::vector<int64_t> samples; ///< the order in a block
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_EPOCH_H
