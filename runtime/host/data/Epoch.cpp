// Shuffling without any library whose results might change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Epoch.h"

#include "runtime/host/data/SplitMix.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti::runtime::data {

std::vector<int64_t> epoch_order(int64_t rows, uint64_t seed, int64_t epoch, bool is_shuffled) {
  std::vector<int64_t> order(rows);
  std::iota(order.begin(), order.end(), int64_t(0));
  if (!is_shuffled)
    return order;
  SplitMix random(SplitMix(seed).next() ^ uint64_t(epoch));
  for (int64_t i = rows - 1; i > 0; --i)
    std::swap(order[i], order[random.below(uint64_t(i) + 1)]);
  return order;
}

EpochOrder::EpochOrder(int64_t rows, uint64_t seed, int64_t epoch, const Shuffling &shuffling)
    : rows(rows), block(std::max<int64_t>(1, shuffling.block)),
      seed(SplitMix(seed).next() ^ uint64_t(epoch)) {
  if (shuffling.block == 0 || !shuffling.is_shuffled) { // one block, in its order
    block = std::max<int64_t>(1, rows);
    blocks = {0};
    samples = epoch_order(rows, seed, epoch, shuffling.is_shuffled);
    current = 0;
    return;
  }
  int64_t count = rows / block + (rows % block > 0);
  blocks = epoch_order(count, seed, epoch, /*is_shuffled=*/true);
  place_of_last = std::find(blocks.begin(), blocks.end(), count - 1) - blocks.begin();
}

int64_t EpochOrder::at(int64_t place) {
  int64_t short_of = rows % block == 0 ? 0 : block - rows % block;
  if (place >= (place_of_last + 1) * block - short_of)
    place += short_of; // as if the last block had all of its samples
  int64_t wanted = blocks[size_t(place / block)], first = wanted * block;
  if (wanted != current) {
    samples = epoch_order(std::min(block, rows - first), seed, wanted, /*is_shuffled=*/true);
    current = wanted;
  }
  return first + samples[size_t(place % block)];
}

} // namespace tutti::runtime::data
