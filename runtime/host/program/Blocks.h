// Variables that ranks of a mesh hold in blocks of one dimension: between what one has and the
// whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H
#define TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H

#include <cstdint>
#include <vector>

namespace tutti::runtime::worker {

/// Equal blocks of one dimension of a row-major tensor, or of each of several equal ranges of it,
/// and equal parts of each block in row-major order, the last of which may be filled up with zeros:
/// where the bytes are that a rank holds.
class Blocks {
public:
  /// `variable` has the fields of a manifest::Variable: `outer` times `blocks` divides dimension
  /// `dimension` of `whole`. `ranks` is a multiple of `blocks` times `parts`, `element_bytes` is of
  /// its type.
  template <typename Divided>
  Blocks(const Divided &variable, int64_t ranks, int64_t element_bytes)
      : Blocks(variable.whole, variable.dimension, variable.outer, element_bytes) {
    divide(variable.blocks, variable.parts, ranks);
  }

  /// Of what a rank holds, and of the whole.
  int64_t bytes() const { return part; }
  int64_t whole_bytes() const { return runs * run * blocks; }

  /// Copies what `rank` holds from `whole` to `held`. The two do not overlap.
  void take(const char *whole, int64_t rank, char *held) const;
  /// Copies to `whole` what all ranks hold; `held(rank)` is asked for one rank of those that hold
  /// the same.
  template <typename Held> void join(Held &&held, char *whole) const {
    for (int64_t index = 0; index < parts; ++index)
      for (int64_t block = 0; block < blocks; ++block)
        put(held(index * stride + block), block, index, whole);
  }

private:
  Blocks(const std::vector<int64_t> &whole, int64_t dimension, int64_t outer,
         int64_t element_bytes);
  void divide(int64_t count, int64_t parts_of_block, int64_t ranks);
  void put(const char *held, int64_t block, int64_t index, char *whole) const;
  /// Calls `visit` with each run of bytes of part `index` of block `block`: where it begins in the
  /// part, and in the whole, and how many there are.
  template <typename Visit> void for_each_run(int64_t block, int64_t index, Visit &&visit) const;

  int64_t runs = 1, run = 1, blocks = 1; ///< runs of so many bytes, which lie `blocks` runs apart
  int64_t parts = 1, part = 0;           ///< of a block: their number, and bytes of each
  int64_t stride = 1, element = 1;       ///< ranks from one part to the next; bytes of an element
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H
