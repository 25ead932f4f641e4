// What a call is about, in three words: all that must be equal on the members of a team.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_CALLSIGNATURE_H
#define TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_CALLSIGNATURE_H

#include "tutti/backend.h"

#include <string>

namespace tutti::runtime::shm {

struct CallSignature {
  uint64_t kind_type_reduction_root;
  /// Elements of the one buffer, or bit 63 and a hash of the sizes of a bucket.
  uint64_t sizes;
  int64_t plan_entry;

  bool operator==(const CallSignature &other) const {
    return kind_type_reduction_root == other.kind_type_reduction_root && sizes == other.sizes &&
           plan_entry == other.plan_entry;
  }
};

/// "all_reduce sum of 10 f32"; of a bucket only that it is one.
std::string text_of(const CallSignature &signature);

inline uint64_t hash_of_sizes(int64_t count, const int64_t *elements) {
  uint64_t hash = uint64_t(count) * 0x9e3779b97f4a7c15u;
  for (int64_t i = 0; i < count; ++i)
    hash = (hash ^ uint64_t(elements[i])) * 0x9e3779b97f4a7c15u;
  return hash | uint64_t(1) << 63;
}

/// `sizes` as above.
inline CallSignature signature_of(const tutti_call &call, uint64_t sizes) {
  uint64_t root = uint64_t(uint32_t(call.peer)) << 32;
  return {uint64_t(call.kind) | uint64_t(call.type) << 8 | uint64_t(call.reduction) << 16 | root,
          sizes, call.plan_entry};
}

inline CallSignature signature_of(const tutti_call &call) {
  return signature_of(call, call.count == 1 ? uint64_t(call.elements[0])
                                            : hash_of_sizes(call.count, call.elements));
}

} // namespace tutti::runtime::shm

#endif // TUTTI_RUNTIME_ENGINE_BACKENDS_SHM_SEGMENT_CALLSIGNATURE_H
