// How the samples of a global batch are dealt to ranks. The batch loader and dropout must agree on
// it, so it is stated once, here, as arithmetic without state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_CORE_SHARDING_H
#define TUTTI_RUNTIME_ENGINE_CORE_SHARDING_H

#include "tutti/types.h"

namespace tutti::runtime {

/// One rank's share of `samples` samples dealt to `ranks` ranks. When they do not divide evenly the
/// first samples % ranks ranks have one sample more, in both modes.
struct Shard {
  int32_t mode = TUTTI_SHARD_NONE;
  int64_t rank = 0;
  int64_t ranks = 1;
  int64_t samples = 1;

  /// How many samples this rank has.
  int64_t local_samples() const {
    if (mode == TUTTI_SHARD_NONE)
      return samples;
    return samples / ranks + (rank < samples % ranks ? 1 : 0);
  }

  /// Position in the global batch of this rank's sample `local`.
  int64_t global_sample(int64_t local) const {
    if (mode == TUTTI_SHARD_STRIDED)
      return rank + local * ranks;
    if (mode == TUTTI_SHARD_CONTIGUOUS) {
      int64_t remainder = samples % ranks;
      return rank * (samples / ranks) + (rank < remainder ? rank : remainder) + local;
    }
    return local;
  }
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_ENGINE_CORE_SHARDING_H
