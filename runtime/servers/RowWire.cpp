// Rounding to 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/servers/RowWire.h"

#include "runtime/support/HalfPrecision.h"

#include <cstring>

namespace tutti::runtime::servers {
namespace {

using Wire = worker::ServedTable::Wire;

template <typename Half> void pack_as(const char *numbers, int64_t count, char *packed) {
  for (int64_t i = 0; i < count; ++i) {
    float number;
    std::memcpy(&number, numbers + i * int64_t(sizeof number), sizeof number);
    Half half = Half::store(number);
    std::memcpy(packed + i * int64_t(sizeof half), &half, sizeof half);
  }
}

template <typename Half> void unpack_as(const char *packed, int64_t count, char *numbers) {
  for (int64_t i = 0; i < count; ++i) {
    Half half;
    std::memcpy(&half, packed + i * int64_t(sizeof half), sizeof half);
    float number = half.load();
    std::memcpy(numbers + i * int64_t(sizeof number), &number, sizeof number);
  }
}

} // namespace

void RowWire::pack(const char *numbers, int64_t bytes, char *packed) const {
  int64_t count = bytes / int64_t(sizeof(float));
  if (is_plain())
    std::memcpy(packed, numbers, bytes);
  else if (wire == Wire::bf16)
    pack_as<BFloat16>(numbers, count, packed);
  else
    pack_as<Float16>(numbers, count, packed);
}

void RowWire::unpack(const char *packed, int64_t bytes, char *numbers) const {
  int64_t count = bytes / int64_t(sizeof(float));
  if (is_plain())
    std::memcpy(numbers, packed, bytes);
  else if (wire == Wire::bf16)
    unpack_as<BFloat16>(packed, count, numbers);
  else
    unpack_as<Float16>(packed, count, numbers);
}

} // namespace tutti::runtime::servers
