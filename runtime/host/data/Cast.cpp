// One loop for each pair of types. Values are compared as long double, which has all of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Cast.h"

#include "runtime/support/HalfPrecision.h"
#include "tutti/types.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tutti::runtime::data {
namespace {

struct Bool {
  uint8_t byte;
};

using Value = long double;
static_assert(std::numeric_limits<Value>::digits >= 64);

/// As the arithmetic of the machine knows it: a whole number or a float.
template <typename T> auto load(const char *at) {
  T element;
  std::memcpy(&element, at, sizeof element);
  if constexpr (std::is_same_v<T, Bool>)
    return int64_t(element.byte != 0);
  else if constexpr (std::is_class_v<T>)
    return element.load();
  else if constexpr (std::is_integral_v<T>)
    return int64_t(element);
  else
    return element;
}

/// A float out of range becomes the nearest whole number, a NaN 0.
int64_t to_integer(double value) {
  constexpr double limit = 0x1p63;
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return INT64_MAX;
  return value < -limit ? INT64_MIN : int64_t(value);
}
int64_t to_integer(int64_t value) { return value; }

template <typename T, typename From> void store(From value, char *to) {
  T element;
  if constexpr (std::is_same_v<T, Bool>)
    element = {uint8_t(value != 0)};
  else if constexpr (std::is_class_v<T>)
    element = T::store(float(value));
  else if constexpr (std::is_integral_v<T>)
    element = T(to_integer(value));
  else
    element = T(value);
  std::memcpy(to, &element, sizeof element);
}

template <typename From, typename To> void convert(const char *from, char *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    store<To>(load<From>(from + i * sizeof(From)), to + i * sizeof(To));
}

template <typename From, typename To> int64_t find_changed(const char *elements, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    char stored[sizeof(To)];
    auto given = load<From>(elements + i * sizeof(From));
    store<To>(given, stored);
    Value before = Value(given), after = Value(load<To>(stored));
    if (before != after && !(std::isnan(before) && std::isnan(after)))
      return i;
  }
  return count;
}

/// Calls use(a value of the type).
template <typename Use> auto with_type(int32_t type, Use use) {
  switch (type) {
  case TUTTI_F16:
    return use(Float16());
  case TUTTI_BF16:
    return use(BFloat16());
  case TUTTI_F64:
    return use(double());
  case TUTTI_I8:
    return use(int8_t());
  case TUTTI_U8:
    return use(uint8_t());
  case TUTTI_BOOL:
    return use(Bool());
  case TUTTI_I16:
    return use(int16_t());
  case TUTTI_I32:
    return use(int32_t());
  case TUTTI_I64:
    return use(int64_t());
  default:
    return use(float());
  }
}

/// What a type holds: whole numbers of up to `bits` bits, and a sign; a float also halves.
struct Precision {
  int bits;
  bool is_signed, is_float;
  int exponent; ///< of the largest value
};

Precision precision_of(int32_t type) {
  switch (type) {
  case TUTTI_F16:
    return {11, true, true, 16};
  case TUTTI_BF16:
    return {8, true, true, 128};
  case TUTTI_F32:
    return {24, true, true, 128};
  case TUTTI_F64:
    return {53, true, true, 1024};
  case TUTTI_BOOL:
    return {1, false, false, 1};
  case TUTTI_U8:
    return {8, false, false, 8};
  case TUTTI_I8:
    return {7, true, false, 7};
  case TUTTI_I16:
    return {15, true, false, 15};
  case TUTTI_I32:
    return {31, true, false, 31};
  default:
    return {63, true, false, 63};
  }
}

} // namespace

Cast cast_of(int32_t from, int32_t to) {
  return with_type(from, [&](auto given) {
    return with_type(
        to, [&](auto wanted) -> Cast { return convert<decltype(given), decltype(wanted)>; });
  });
}

bool has_all_values(int32_t from, int32_t to) {
  Precision given = precision_of(from), wanted = precision_of(to);
  return from == to || ((wanted.is_float || !given.is_float) && wanted.bits >= given.bits &&
                        wanted.exponent >= given.exponent && wanted.is_signed >= given.is_signed);
}

std::optional<int64_t> first_changed(int32_t from, int32_t to, const char *elements,
                                     int64_t count) {
  if (has_all_values(from, to))
    return std::nullopt;
  int64_t found = with_type(from, [&](auto given) {
    return with_type(to, [&](auto wanted) {
      return find_changed<decltype(given), decltype(wanted)>(elements, count);
    });
  });
  return found < count ? std::optional(found) : std::nullopt;
}

std::optional<int64_t> first_outside(int32_t type, const char *elements, int64_t count, int64_t low,
                                     int64_t high, std::optional<int64_t> other) {
  int64_t kept = other.value_or(low);
  int64_t found = with_type(type, [&](auto element) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t value = to_integer(load<decltype(element)>(elements + i * int64_t(sizeof element)));
      if ((value < low || value > high) && value != kept)
        return i;
    }
    return count;
  });
  return found < count ? std::optional(found) : std::nullopt;
}

std::string element_text(int32_t type, const char *elements, int64_t index) {
  return with_type(type, [&](auto element) {
    auto value = load<decltype(element)>(elements + index * int64_t(sizeof element));
    char digits[64];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  });
}

int64_t integer_element(int32_t type, const char *elements, int64_t index) {
  return with_type(type, [&](auto element) {
    return to_integer(load<decltype(element)>(elements + index * int64_t(sizeof element)));
  });
}

} // namespace tutti::runtime::data
