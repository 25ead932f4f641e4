// Numbers of the door and their spellings: types, reductions, kinds of calls, shard modes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_NAMES_H
#define TUTTI_RUNTIME_SUPPORT_NAMES_H

#include "tutti/backend.h"
#include "tutti/types.h"

#include <optional>
#include <string>
#include <string_view>

namespace tutti::runtime {

/// Bytes of one element, 0 for an unknown type.
int64_t type_bytes(int32_t type);
/// "f32"; "unknown type" for an unknown one. Static text.
const char *type_name(int32_t type);
/// "sum"; "unknown reduction" for an unknown one. Static text.
const char *reduction_name(int32_t reduction);
/// "all_reduce"; "unknown call" for an unknown kind. Static text.
const char *call_name(int32_t kind);
/// Whether a kind of call reduces, and so has a reduction.
inline bool is_reduction(int32_t kind) {
  return kind == TUTTI_ALL_REDUCE || kind == TUTTI_REDUCE_SCATTER || kind == TUTTI_REDUCE;
}
/// The number of a spelling, if it is one.
std::optional<int32_t> type_from_name(std::string_view name);
std::optional<int32_t> shard_from_name(std::string_view name);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_NAMES_H
