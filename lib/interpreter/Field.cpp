// Arithmetic modulo 2^61 - 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/interpreter/Field.h"

#include <cmath>

using namespace tutti::interpreter;
using field::Number;

Number field::addInfinite(Number a, Number b) {
  if (a == kNone || b == kNone || (!isFinite(a) && a == negate(b)))
    return kNone;
  return isFinite(a) ? b : a;
}

Number field::mulInfinite(Number a, Number b) {
  if (a == kNone || b == kNone || a == 0 || b == 0)
    return kNone;
  return (asSigned(a) < 0) == (asSigned(b) < 0) ? kInfinity : kMinusInfinity;
}

Number field::power(Number a, uint64_t exponent) {
  if (a == kNone)
    return kNone;
  Number result = 1;
  for (; exponent > 0; exponent >>= 1, a = mul(a, a))
    if (exponent & 1)
      result = mul(result, a);
  return result;
}

Number field::divide(Number a, Number b) {
  if (a == kNone || b == kNone || b == 0 || (!isFinite(a) && !isFinite(b)))
    return kNone;
  if (!isFinite(b))
    return 0;
  if (!isFinite(a)) // the sign is that of b: an inverse has any
    return mulInfinite(a, b);
  if (b == 1)
    return a;
  // Neighbours are often divided by the same number.
  thread_local Number last = 1, inverse = 1;
  if (b != last)
    last = b, inverse = power(b, kPrime - 2);
  return mul(a, inverse);
}

Number field::fromInteger(int64_t value) {
  int64_t rest = value % int64_t(kPrime);
  return rest < 0 ? rest + kPrime : rest;
}

/// The fraction with the smallest denominator between `low` and `high`, which are positive, by
/// continued fractions; nothing if its parts are too large.
static std::optional<std::pair<int64_t, int64_t>> simplestBetween(long double low,
                                                                  long double high) {
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0; // the two convergents before
  for (int depth = 0; depth < 64; ++depth) {
    long double whole = std::ceil(low);
    bool isInside = whole <= high;
    long double part = isInside ? whole : std::floor(low);
    if (part > 0x1p40L || part * p1 + p0 > 0x1p60L || part * q1 + q0 > 0x1p60L)
      return std::nullopt;
    int64_t p2 = int64_t(part) * p1 + p0, q2 = int64_t(part) * q1 + q0;
    if (isInside)
      return std::pair(p2, q2);
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    long double above = low - part, below = high - part;
    low = 1 / below, high = above > 0 ? 1 / above : 0x1p62L;
  }
  return std::nullopt;
}

/// mantissa * 2 ^ exponent, as it is.
static Number fromBits(double value) {
  int exponent;
  int64_t mantissa = int64_t(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  Number scale = field::power(2, std::abs(exponent));
  Number number = field::fromInteger(mantissa);
  return exponent < 0 ? field::divide(number, scale) : field::mul(number, scale);
}

Number field::fromFloat(const llvm::APFloat &value) {
  if (value.isNaN())
    return kNone;
  if (value.isInfinity())
    return value.isNegative() ? kMinusInfinity : kInfinity;
  if (value.isZero())
    return 0;
  int digits = llvm::APFloat::semanticsPrecision(value.getSemantics());
  double exact = value.convertToDouble(), size = std::fabs(exact);
  // What a wider type took over from f32 has no more digits than that.
  if (digits > 24 && double(float(exact)) == exact)
    digits = 24;
  if (size >= 0x1p60) // the largest of all but infinity
    return exact < 0 ? kLeast + 1 : kLargest - 1;
  if (size < 0x1p-60) // the least of all above 0
    return exact < 0 ? kPrime - 1 : 1;
  int exponent;
  std::frexp(size, &exponent);
  // What was computed of other constants in the same type is off by a little more than rounding.
  long double reach = std::ldexp(digits >= 24 ? 2.0L : 0.5L, exponent - digits);
  auto fraction = size < 0x1p53 ? simplestBetween(size - reach, size + reach) : std::nullopt;
  if (!fraction)
    return fromBits(exact);
  Number number = divide(fromInteger(fraction->first), fromInteger(fraction->second));
  return exact < 0 ? negate(number) : number;
}

static uint64_t mix(uint64_t x) { // splitmix64
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

Number field::hash(uint64_t function, Number a, Number b) {
  if (a == kNone || b == kNone)
    return kNone;
  return mix(mix(mix(function) ^ a) + b) % kPrime;
}

std::optional<std::string> field::spellFraction(Number a) {
  if (!isFinite(a))
    return std::nullopt;
  for (int64_t denominator = 1; denominator <= 4096; ++denominator) {
    int64_t numerator = asSigned(mul(a, denominator));
    if (std::llabs(numerator) > 65536)
      continue;
    std::string text = std::to_string(numerator);
    return denominator == 1 ? text : text + "/" + std::to_string(denominator);
  }
  return std::nullopt;
}
