// Calls in words, for messages that show both sides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/backends/shm/segment/CallSignature.h"

#include "runtime/support/Error.h"
#include "runtime/support/Names.h"

namespace tutti::runtime::shm {
namespace {

bool has_root(int32_t kind) {
  return kind == TUTTI_BROADCAST || kind == TUTTI_REDUCE || kind == TUTTI_GATHER ||
         kind == TUTTI_SCATTER;
}

} // namespace

std::string text_of(const CallSignature &signature) {
  uint64_t word = signature.kind_type_reduction_root;
  int32_t kind = int32_t(word & 0xff), type = int32_t(word >> 8 & 0xff);
  std::string all = call_name(kind);
  if (kind == TUTTI_BARRIER)
    return all;
  if (is_reduction(kind))
    all += text(" ", reduction_name(int32_t(word >> 16 & 0xff)));
  if (has_root(kind))
    all += text(" with root ", word >> 32);
  if (kind == TUTTI_ALL_TO_ALL_V)
    return text(all, " of ", type_name(type));
  if (signature.sizes >> 63)
    return text(all, " of a bucket of ", type_name(type));
  return text(all, " of ", signature.sizes, " ", type_name(type));
}

} // namespace tutti::runtime::shm
