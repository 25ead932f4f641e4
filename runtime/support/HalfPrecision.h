// Conversion of f16 and bf16 to and from f32, rounding to nearest even, in plain integer
// arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_HALFPRECISION_H
#define TUTTI_RUNTIME_SUPPORT_HALFPRECISION_H

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
    bool is_nan = (wide & 0x7fffffffu) > 0x7f800000u; // without its sign, see Float16
    uint32_t rounded = (wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16;
    return {uint16_t(is_nan ? 0x7fc0u : rounded)};
  }
};

/// IEEE binary16: 1 sign, 5 exponent, 10 fraction bits.
struct Float16 {
  uint16_t bits;

  // Each case is computed and one is chosen, without branches: so loops of these become vector
  // code.
  float load() const {
    uint32_t sign = uint32_t(bits & 0x8000u) << 16;
    uint32_t magnitude = uint32_t(bits & 0x7fffu);
    uint32_t not_finite = 0x7f800000u | ((magnitude & 0x3ffu) << 13);
    // Zero and subnormals are multiples of 2^-24.
    uint32_t small = bits_from_float(float(int32_t(magnitude)) * 0x1p-24f);
    uint32_t normal = (magnitude << 13) + (112u << 23);
    uint32_t finite = magnitude < 0x0400u ? small : normal;
    return float_from_bits(sign | (magnitude >= 0x7c00u ? not_finite : finite));
  }
  static Float16 store(float value) {
    uint32_t wide = bits_from_float(value);
    uint32_t sign = (wide >> 16) & 0x8000u;
    uint32_t magnitude = wide & 0x7fffffffu;
    // Below 2^-14: adding 0.5 leaves a multiple of 2^-24, rounded.
    uint32_t small = bits_from_float(float_from_bits(magnitude) + 0.5f) - bits_from_float(0.5f);
    uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - (112u << 23)) >> 13;
    uint32_t finite = magnitude < 0x38800000u ? small : normal;
    // From 65520 on a number rounds to infinity.
    uint32_t number = sign | (magnitude >= 0x477ff000u ? 0x7c00u : finite);
    // A NaN loses its sign: which operand of two gives its sign is up to the compiler.
    return {uint16_t(magnitude > 0x7f800000u ? 0x7e00u : number)};
  }
};

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_HALFPRECISION_H
