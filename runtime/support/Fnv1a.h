// FNV-1a, a short hash that is the same everywhere (Fowler, Noll, Vo; draft-eastlake-fnv). Not for
// anything that somebody could want to collide.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_FNV1A_H
#define TUTTI_RUNTIME_SUPPORT_FNV1A_H

#include <cstdint>
#include <string_view>

namespace tutti::runtime {

inline uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_FNV1A_H
