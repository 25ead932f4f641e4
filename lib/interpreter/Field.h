// Numbers of a prime field in the place of floats: sums, products and quotients are exact in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_LIB_INTERPRETER_FIELD_H
#define TUTTI_LIB_INTERPRETER_FIELD_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::interpreter::field {

/// A number from 0 to kPrime - 1, an infinity, or kNone.
using Number = uint64_t;

inline constexpr Number kPrime = (uint64_t(1) << 61) - 1;

/// What is no number: whatever is computed of it is none either, and comparisons with it are false.
inline constexpr Number kNone = ~uint64_t(0);

/// The infinities: no numbers of the field (half of it, (kPrime + 1) / 2, is 1/2), and the ends of
/// its order. They follow IEEE 754: sums absorb them, 1 / infinity is 0, 0 * infinity is none.
inline constexpr Number kInfinity = kNone - 1, kMinusInfinity = kNone - 2;

/// The ends of the order of `asSigned` in the field.
inline constexpr Number kLargest = kPrime / 2, kLeast = kPrime / 2 + 1;

inline bool isFinite(Number a) { return a < kPrime; }

/// `value` modulo the prime.
inline Number reduce(unsigned __int128 value) {
  uint64_t low = uint64_t(value) & kPrime, middle = uint64_t(value >> 61) & kPrime;
  uint64_t sum = low + middle + uint64_t(value >> 122);
  sum = (sum & kPrime) + (sum >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

/// Sums and products of which an operand is not finite.
Number addInfinite(Number a, Number b);
Number mulInfinite(Number a, Number b);

inline Number add(Number a, Number b) {
  if (!isFinite(a) || !isFinite(b))
    return addInfinite(a, b);
  uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
inline Number negate(Number a) {
  if (!isFinite(a))
    return a == kNone ? kNone : a == kInfinity ? kMinusInfinity : kInfinity;
  return a == 0 ? 0 : kPrime - a;
}
inline Number sub(Number a, Number b) { return add(a, negate(b)); }
inline Number mul(Number a, Number b) {
  if (!isFinite(a) || !isFinite(b))
    return mulInfinite(a, b);
  return reduce((unsigned __int128)a * b);
}

/// a ^ exponent.
Number power(Number a, uint64_t exponent);
/// a / b; none if b is 0, or both are infinities.
Number divide(Number a, Number b);

/// The order of numbers: those of the upper half of the field are negative.
inline int64_t asSigned(Number a) {
  if (!isFinite(a))
    return a == kInfinity ? int64_t(kPrime) : -int64_t(kPrime);
  return a <= kPrime / 2 ? int64_t(a) : int64_t(a) - int64_t(kPrime);
}
inline bool isLess(Number a, Number b) {
  return a != kNone && b != kNone && asSigned(a) < asSigned(b);
}

Number fromInteger(int64_t value);

/// The number of a float: that of the simplest fraction within two units of its last digit. So 1/3
/// is a third, whatever the type lost of it, and 1 / (1/3) is 3 where that was folded. What
/// only bounds others, beyond 2^60 and below 2^-60, is next to infinity and to 0 in the order.
Number fromFloat(const llvm::APFloat &value);

/// A function that is no rational one, of one or two numbers: any that is always the same does.
Number hash(uint64_t function, Number a, Number b = 0);

/// `a` as a fraction of small numbers, as text: "4", "1/4", "-2/3". Nothing if it is none.
std::optional<std::string> spellFraction(Number a);

} // namespace tutti::interpreter::field

#endif // TUTTI_LIB_INTERPRETER_FIELD_H
