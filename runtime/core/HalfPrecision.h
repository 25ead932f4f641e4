// Conversion of f16 and bf16 to and from f32, rounding to nearest even, in plain integer
// arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_CORE_HALFPRECISION_H
#define TUTTI_RUNTIME_CORE_HALFPRECISION_H

#include <cstdint>
#include <cstring>

namespace tutti::runtime {

inline float float_from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline uint32_t bits_from_float(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The upper half of an f32.
struct BFloat16 {
  uint16_t bits;

  float load() const { return float_from_bits(uint32_t(bits) << 16); }
  static BFloat16 store(float value) {
    uint32_t wide = bits_from_float(value);
    if ((wide & 0x7fffffffu) > 0x7f800000u) // a NaN stays one, quiet
      return {uint16_t((wide >> 16) | 0x40u)};
    return {uint16_t((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16)};
  }
};

/// IEEE binary16: 1 sign, 5 exponent, 10 fraction bits.
struct Float16 {
  uint16_t bits;

  float load() const {
    uint32_t sign = uint32_t(bits & 0x8000u) << 16;
    uint32_t magnitude = uint32_t(bits & 0x7fffu);
    if (magnitude >= 0x7c00u) // infinity and NaN
      return float_from_bits(sign | 0x7f800000u | ((magnitude & 0x3ffu) << 13));
    if (magnitude < 0x0400u) // zero and subnormals: a multiple of 2^-24
      return float_from_bits(sign | bits_from_float(float(magnitude) * 0x1p-24f));
    return float_from_bits(sign | ((magnitude << 13) + (112u << 23)));
  }
  static Float16 store(float value) {
    uint32_t wide = bits_from_float(value);
    uint16_t sign = uint16_t((wide >> 16) & 0x8000u);
    uint32_t magnitude = wide & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
      return {uint16_t(sign | 0x7e00u)};
    if (magnitude >= 0x477ff000u) // rounds to 65536 or above
      return {uint16_t(sign | 0x7c00u)};
    if (magnitude < 0x38800000u) { // below 2^-14: adding 0.5 leaves a multiple of 2^-24, rounded
      float shifted = float_from_bits(magnitude) + 0.5f;
      return {uint16_t(sign | (bits_from_float(shifted) - bits_from_float(0.5f)))};
    }
    uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return {uint16_t(sign | ((rounded - (112u << 23)) >> 13))};
  }
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_CORE_HALFPRECISION_H
