// The types of numbers that kernels compare and combine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTTI_RUNTIME_ENGINE_KERNELS_NUMBERTYPES_H
#define TUTTI_RUNTIME_ENGINE_KERNELS_NUMBERTYPES_H

#include "tutti/types.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace tutti::runtime::kernels {

/// What is computed with, so that integers wrap around.
template <typename T, bool isInteger = std::is_integral_v<T>> struct Wraps { using Type = T; };
template <typename T> struct Wraps<T, true> { using Type = std::make_unsigned_t<T>; };

/// Whether `value` is no number.
template <typename T> bool is_none(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

/// Calls `body` with a null pointer of the element type that the number stands for.
template <typename Body> void with_number_type(int64_t type, Body body) {
  if (type == TUTTI_F32)
    return body(static_cast<float *>(nullptr));
  if (type == TUTTI_F64)
    return body(static_cast<double *>(nullptr));
  if (type == TUTTI_I32)
    return body(static_cast<int32_t *>(nullptr));
  if (type == TUTTI_I64)
    return body(static_cast<int64_t *>(nullptr));
  throw std::invalid_argument("the element type is not f32, f64, i32 or i64");
}

} // namespace tutti::runtime::kernels

#endif // TUTTI_RUNTIME_ENGINE_KERNELS_NUMBERTYPES_H
