// Numbers from text, in the type that somebody wants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_TABLES_CSVNUMBER_H
#define TUTTI_RUNTIME_HOST_DATA_TABLES_CSVNUMBER_H

#include <cstdint>
#include <string_view>

namespace tutti::runtime::data {

/// Writes the number that `text` is as an element of `type`: the nearest one of a float (of a half
/// the nearest to the nearest f32), the number itself of an integer, 1 and 0 of true and false.
/// False if it is no finite number, or none that the type has.
bool parse_number(std::string_view text, int32_t type, char *to);

/// Why it is none: "no number", "no whole number" or "out of range".
const char *why_no_number(std::string_view text, int32_t type);

/// Writes a number as an element of `type`; false if the type does not have it.
bool store_number(int64_t number, int32_t type, char *to);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_TABLES_CSVNUMBER_H
