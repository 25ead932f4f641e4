// Whole numbers from text, and arithmetic on them that notices an overflow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_SUPPORT_NUMBERS_H
#define TUTTI_RUNTIME_SUPPORT_NUMBERS_H

#include "runtime/support/Error.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace tutti::runtime {

/// The decimal number that `text` is, from its first character to its last: digits, with a minus
/// where `low` is negative. An error says what is there instead, or which numbers are allowed.
template <typename Integer = int64_t>
Result<Integer> parse_integer(std::string_view text, Integer low,
                              Integer high = std::numeric_limits<Integer>::max());

extern template Result<int64_t> parse_integer(std::string_view, int64_t, int64_t);
extern template Result<uint64_t> parse_integer(std::string_view, uint64_t, uint64_t);

/// The product, if it is one that an int64_t can hold.
std::optional<int64_t> checked_product(std::initializer_list<int64_t> factors);

} // namespace tutti::runtime

#endif // TUTTI_RUNTIME_SUPPORT_NUMBERS_H
