// Random numbers that are the same everywhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_SPLITMIX_H
#define TUTTI_RUNTIME_HOST_DATA_SPLITMIX_H

#include <cstdint>

namespace tutti::runtime::data {

/// SplitMix64. G. L. Steele, D. Lea, C. H. Flood: "Fast splittable pseudorandom number generators",
/// OOPSLA 2014.
class SplitMix {
public:
  explicit SplitMix(uint64_t state) : state(state) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In 0 .. bound - 1, without bias (D. Lemire 2019).
  uint64_t below(uint64_t bound) {
    for (;;) {
      __extension__ using Wide = unsigned __int128;
      Wide product = Wide(next()) * bound;
      if (uint64_t(product) >= bound || uint64_t(product) >= (0 - bound) % bound)
        return uint64_t(product >> 64);
    }
  }

private:
  uint64_t state;
};

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_SPLITMIX_H
