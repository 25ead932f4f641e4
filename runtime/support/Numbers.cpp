// Checked numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Numbers.h"

#include <charconv>

namespace tutti::runtime {

template <typename Integer>
Result<Integer> parse_integer(std::string_view digits, Integer low, Integer high) {
  Integer value = 0;
  const char *end = digits.data() + digits.size();
  auto [stop, code] = std::from_chars(digits.data(), end, value, 10);
  bool is_negative = digits.substr(0, 1) == "-";
  bool has_only_digits = digits.size() > size_t(is_negative) &&
                         digits.find_first_not_of("0123456789", is_negative) == digits.npos;
  if (!has_only_digits)
    return Error::make(TUTTI_INVALID_ARGUMENT, "'", digits,
                       "' is not a whole number in decimal digits; ", low, " to ", high,
                       " are allowed");
  if (code != std::errc() || stop != end || value < low || value > high)
    return Error::make(TUTTI_INVALID_ARGUMENT, digits, " is out of range; ", low, " to ", high,
                       " are allowed");
  return value;
}

template Result<int64_t> parse_integer(std::string_view, int64_t, int64_t);
template Result<uint64_t> parse_integer(std::string_view, uint64_t, uint64_t);

std::optional<int64_t> checked_product(std::initializer_list<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product))
      return std::nullopt;
  return product;
}

} // namespace tutti::runtime
