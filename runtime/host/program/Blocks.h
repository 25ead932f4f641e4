// Variables that neighbouring ranks hold in blocks of one dimension: between a block and the whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H
#define TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H

#include <cstdint>
#include <vector>

namespace tutti::runtime::worker {

/// Equal blocks of one dimension of a row-major tensor, or of each of several equal ranges of it:
/// where the bytes of each are.
class Blocks {
public:
  /// `outer` times `blocks` divides dimension `dimension` of `whole`, whose elements have
  /// `element_bytes` each.
  Blocks(const std::vector<int64_t> &whole, int64_t dimension, int64_t blocks, int64_t outer,
         int64_t element_bytes);

  /// Of one block.
  int64_t bytes() const { return runs * run; }

  /// Copies block `index` of `whole` to `block`, or back. The two do not overlap.
  void take(const char *whole, int64_t index, char *block) const;
  void put(const char *block, int64_t index, char *whole) const;

private:
  int64_t runs = 1, run = 1, blocks; ///< runs of so many bytes, which lie `blocks` runs apart
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H
