// Variables that ranks of a mesh hold in blocks of one dimension: between what one has and the
// whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H
#define TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::runtime::worker {

/// Equal blocks of one dimension of a row-major tensor, or of each of several equal ranges of it,
/// and equal parts of each block in row-major order: where the bytes are that a rank holds. The
/// last blocks of a dimension, and the last parts of a block, may be filled up with zeros.
class Blocks {
public:
  /// Whether dimension `dimension` of `whole` has such blocks: any number of one range, and as many
  /// as divide each of several.
  template <typename Divided> static bool are_in(const Divided &variable) {
    int64_t size = variable.whole[size_t(variable.dimension)];
    return variable.outer == 1 || size % (variable.outer * variable.blocks) == 0;
  }
  /// The shape of a block.
  template <typename Divided> static std::vector<int64_t> shape_in(const Divided &variable) {
    std::vector<int64_t> block = variable.whole;
    int64_t &size = block[size_t(variable.dimension)];
    size = (size + variable.blocks - 1) / variable.blocks;
    return block;
  }

  /// `variable` has the fields of a manifest::Variable, which `are_in` holds for. `ranks` is a
  /// multiple of `blocks` times `parts`, `element_bytes` is of its type.
  template <typename Divided>
  Blocks(const Divided &variable, int64_t ranks, int64_t element_bytes)
      : Blocks(variable.whole, variable.dimension, variable.outer, variable.blocks, element_bytes) {
    divide(variable.parts, ranks);
  }

  /// Of what a rank holds, and of the whole.
  int64_t bytes() const { return part; }
  int64_t whole_bytes() const { return runs * range; }

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
  Blocks(const std::vector<int64_t> &whole, int64_t dimension, int64_t outer, int64_t count,
         int64_t element_bytes);
  void divide(int64_t parts_of_block, int64_t ranks);
  void put(const char *held, int64_t block, int64_t index, char *whole) const;
  /// Calls `visit` with each run of bytes of part `index` of block `block`: where it begins in the
  /// part, and in the whole, and how many there are; without those that are filled up.
  template <typename Visit> void for_each_run(int64_t block, int64_t index, Visit &&visit) const;

  int64_t runs = 1, range = 1;     ///< so many ranges of so many bytes
  int64_t run = 1, blocks = 1;     ///< bytes of each that are of one block, but the last ones
  int64_t parts = 1, part = 0;     ///< of a block: their number, and bytes of each
  int64_t stride = 1, element = 1; ///< ranks from one part to the next; bytes of an element
};

} // namespace tutti::runtime::worker

#endif // TUTTI_RUNTIME_HOST_PROGRAM_BLOCKS_H
