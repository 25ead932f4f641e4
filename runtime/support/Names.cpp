// Spellings of the door's numbers, expanded from its own lists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Names.h"

namespace tutti::runtime {

int64_t type_bytes(int32_t type) {
  switch (type) {
#define TYPE(constant, value, spelling, bytes)                                                     \
  case constant:                                                                                   \
    return bytes;
    TUTTI_FOR_EACH_TYPE(TYPE)
#undef TYPE
  }
  return 0;
}

const char *type_name(int32_t type) {
  switch (type) {
#define TYPE(constant, value, spelling, bytes)                                                     \
  case constant:                                                                                   \
    return spelling;
    TUTTI_FOR_EACH_TYPE(TYPE)
#undef TYPE
  }
  return "unknown type";
}

const char *reduction_name(int32_t reduction) {
  switch (reduction) {
#define REDUCTION(constant, value, spelling)                                                       \
  case constant:                                                                                   \
    return spelling;
    TUTTI_FOR_EACH_REDUCTION(REDUCTION)
#undef REDUCTION
  }
  return "unknown reduction";
}

const char *call_name(int32_t kind) {
  switch (kind) {
#define CALL(constant, value, name)                                                                \
  case constant:                                                                                   \
    return name;
    TUTTI_FOR_EACH_CALL(CALL)
#undef CALL
  }
  return "unknown call";
}

std::optional<int32_t> type_from_name(std::string_view name) {
#define TYPE(constant, value, spelling, bytes)                                                     \
  if (name == spelling)                                                                            \
    return constant;
  TUTTI_FOR_EACH_TYPE(TYPE)
#undef TYPE
  return std::nullopt;
}

std::optional<int32_t> shard_from_name(std::string_view name) {
#define SHARD(constant, value, spelling)                                                           \
  if (name == spelling)                                                                            \
    return constant;
  TUTTI_FOR_EACH_SHARD(SHARD)
#undef SHARD
  return std::nullopt;
}

} // namespace tutti::runtime
