// Casts between the types of elements that keep every value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_HOST_DATA_CAST_H
#define TUTTI_RUNTIME_HOST_DATA_CAST_H

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::runtime::data {

/// Converts `count` elements. Neither side needs an alignment. A value that the second type does
/// not have becomes one that it has.
using Cast = void (*)(const char *from, char *to, int64_t count);

/// The cast of elements of type `from` to type `to`, which are types of the door.
Cast cast_of(int32_t from, int32_t to);

/// Whether type `to` has every value of type `from`.
bool has_all_values(int32_t from, int32_t to);

/// The first of `count` elements whose value type `to` does not have. Any NaN is as good as
/// another.
std::optional<int64_t> first_changed(int32_t from, int32_t to, const char *elements, int64_t count);

/// The first of `count` elements that, as a whole number, is neither in `low` to `high` nor
/// `other`.
std::optional<int64_t> first_outside(int32_t type, const char *elements, int64_t count, int64_t low,
                                     int64_t high, std::optional<int64_t> other);

/// Element `index` of `elements`, for messages: as few digits as tell it
/// from its neighbours.
std::string element_text(int32_t type, const char *elements, int64_t index);

/// Element `index` of `elements` as a whole number, as cast_of makes it one.
int64_t integer_element(int32_t type, const char *elements, int64_t index);

} // namespace tutti::runtime::data

#endif // TUTTI_RUNTIME_HOST_DATA_CAST_H
