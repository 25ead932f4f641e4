// The checksum that files of this project carry: CRC-32C, also that of TFRecord and iSCSI.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_CRC32C_H
#define TUTTI_RUNTIME_SUPPORT_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::runtime {

/// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78) of all that was added, in order.
class Crc32c {
public:
  void add(const void *data, size_t bytes);
  void add(std::string_view text) { add(text.data(), text.size()); }
  uint32_t value() const { return ~state; }

private:
  uint32_t state = ~uint32_t(0);
};

/// Of `data` alone.
inline uint32_t crc32c(std::string_view data) {
  Crc32c sum;
  sum.add(data);
  return sum.value();
}

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_CRC32C_H
