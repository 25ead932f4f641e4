// Philox4x32-10, a counter-based random generator: four random words from a counter and a key, no
// state, so any rank can make any part of the sequence. J. K. Salmon, M. A. Moraes, R. O. Dror, D.
// E. Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_PHILOX_H
#define TUTTI_RUNTIME_SUPPORT_PHILOX_H

#include <array>
#include <cstdint>

namespace tutti::runtime {

using Words = std::array<uint32_t, 4>;

/// The ten rounds.
inline Words philox(Words counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53u) * counter[0];
    uint64_t b = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
               uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The random words of one node in one step: block i is philox of (i, step, node) under the seed.
/// Steps count modulo 2^32.
struct RandomStream {
  uint64_t seed;
  int64_t step;
  int64_t node;

  Words block(uint64_t index) const {
    return philox({uint32_t(index), uint32_t(index >> 32), uint32_t(step), uint32_t(node)},
                  {uint32_t(seed), uint32_t(seed >> 32)});
  }
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_PHILOX_H
