// Looking for what is infinite or no number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/FiniteValues.h"

#include "tutti/types.h"

#include <algorithm>
#include <cstring>

namespace tutti::runtime::worker {
namespace {

/// Such an element has all bits of its exponent set.
template <typename Bits>
std::optional<int64_t> find(const void *memory, int64_t count, Bits exponent) {
  constexpr int64_t at_once = 4096; // a loop without an exit becomes vector code
  const char *bytes = static_cast<const char *>(memory);
  auto is_bad = [&](int64_t index) {
    Bits element;
    std::memcpy(&element, bytes + index * int64_t(sizeof element), sizeof element);
    return (element & exponent) == exponent;
  };
  for (int64_t first = 0; first < count; first += at_once) {
    int64_t end = std::min(count, first + at_once);
    bool has_bad = false;
    for (int64_t index = first; index < end; ++index)
      has_bad |= is_bad(index);
    for (int64_t index = first; has_bad && index < end; ++index)
      if (is_bad(index))
        return index;
  }
  return std::nullopt;
}

} // namespace

std::optional<int64_t> find_non_finite(int32_t type, const void *memory, int64_t count) {
  switch (type) {
  case TUTTI_F16:
    return find<uint16_t>(memory, count, 0x7c00u);
  case TUTTI_BF16:
    return find<uint16_t>(memory, count, 0x7f80u);
  case TUTTI_F32:
    return find<uint32_t>(memory, count, 0x7f800000u);
  case TUTTI_F64:
    return find<uint64_t>(memory, count, uint64_t(0x7ff) << 52);
  default:
    return std::nullopt;
  }
}

} // namespace tutti::runtime::worker
