// Which places the elements of a tensor have in the global batch, for kernels that draw random
// numbers: what is drawn for a sample must not depend on the rank that has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_KERNELS_SAMPLEDRAWS_H
#define TUTTI_RUNTIME_ENGINE_KERNELS_SAMPLEDRAWS_H

#include "runtime/engine/core/Context.h"

#include <stdexcept>

namespace tutti::runtime::kernels {

/// Which of how many equal parts of the rank's samples a tensor has rows for.
struct Part {
  int64_t index = 0;
  int64_t parts = 1;

  /// `number` points to the index if there are several.
  static Part read(const void *number, int64_t parts) {
    Part part = {parts > 1 ? *static_cast<const int64_t *>(number) : 0, parts};
    if (parts < 1 || part.index < 0 || part.index >= parts)
      throw std::invalid_argument("there is no micro-batch " + std::to_string(part.index) + " of " +
                                  std::to_string(parts));
    return part;
  }
};

/// Calls draw(index, begin, count) for each run of `count` elements from `begin` on that lie
/// together in the global batch, where the first has the place `index`. The local elements are
/// `blocks` of samples, sample by sample. A tensor that has no row for each sample (`blocks` below
/// 1, too) is the same on every rank and in every micro-batch, and so are its places.
template <typename Draw>
void for_each_run(const tutti_context &context, int64_t elements, int64_t blocks, Part part,
                  Draw draw) {
  int64_t samples = context.local_batch / part.parts;
  bool has_samples = blocks > 0 && samples > 0 && elements % (blocks * samples) == 0;
  if (!has_samples)
    return draw(int64_t(0), int64_t(0), elements);
  int64_t row = elements / (blocks * samples);
  for (int64_t block = 0, begin = 0; block < blocks; ++block)
    for (int64_t s = 0; s < samples; ++s, begin += row) {
      int64_t sample = context.shard.global_sample(part.index * samples + s);
      draw((block * context.shard.samples + sample) * row, begin, row);
    }
}

} // namespace tutti::runtime::kernels

#endif // TUTTI_RUNTIME_ENGINE_KERNELS_SAMPLEDRAWS_H
