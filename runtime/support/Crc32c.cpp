// Eight bytes at a time by eight tables (M. E. Kounavis, F. L. Berry: "Novel table lookup-based
// algorithms for high-performance CRC generation", IEEE Transactions on Computers, 2008).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Crc32c.h"

#include <array>
#include <cstring>

namespace tutti::runtime {
namespace {

constexpr uint32_t polynomial = 0x82f63b78;
constexpr size_t slices = 8;
using Tables = std::array<std::array<uint32_t, 256>, slices>;

/// tables[s][b]: what byte b does to the sum when s bytes follow it.
constexpr Tables make_tables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit)
      sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
    tables[0][byte] = sum;
  }
  for (size_t slice = 1; slice < slices; ++slice)
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  return tables;
}

constexpr Tables tables = make_tables();

} // namespace

void Crc32c::add(const void *data, size_t bytes) {
  const auto *at = static_cast<const unsigned char *>(data);
  for (; bytes >= slices; at += slices, bytes -= slices) {
    unsigned char mixed[slices];
    std::memcpy(mixed, at, slices);
    for (int i = 0; i < 4; ++i)
      mixed[i] ^= static_cast<unsigned char>(state >> (8 * i));
    state = 0;
    for (size_t i = 0; i < slices; ++i)
      state ^= tables[slices - 1 - i][mixed[i]];
  }
  for (; bytes > 0; ++at, --bytes)
    state = state >> 8 ^ tables[0][(state ^ *at) & 0xff];
}

} // namespace tutti::runtime
