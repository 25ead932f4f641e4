// Which reductions there are, and the choice of the widest vectors that the processor has. A block
// at a time partial results stay in the first-level cache: each source is read once, each
// destination written once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/reduction/Reduction.h"

#include "runtime/engine/reduction/ReductionVariants.h"
#include "runtime/support/Error.h"
#include "runtime/support/HalfPrecision.h"
#include "runtime/support/Names.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::runtime {
namespace {

#include "runtime/engine/reduction/ReductionLoops.h"

ReductionVariant best_variant() {
  if (ReductionVariant widest = avx512_reduction())
    return widest;
  ReductionVariant wide = avx2_reduction();
  return wide ? wide : portable_reduction();
}

template <typename Format> void divide(void *memory, int64_t divisor, int64_t elements) {
  using Sum = typename Format::Sum;
  auto *values = static_cast<typename Format::Stored *>(memory);
  for (int64_t i = 0; i < elements; ++i)
    values[i] = Format::store(Format::load(values[i]) / Sum(divisor));
}

template <typename T> void widen_as(const void *halves, float *floats, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i)
    floats[i] = static_cast<const T *>(halves)[i].load();
}

template <typename T> void narrow_as(const float *floats, void *halves, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i)
    static_cast<T *>(halves)[i] = T::store(floats[i]);
}

} // namespace

ReductionVariant portable_reduction() { return reduce_any; }

std::string reduction_problem(int32_t type, int32_t reduction) {
  bool is_float = type == TUTTI_F16 || type == TUTTI_BF16 || type == TUTTI_F32 || type == TUTTI_F64;
  if (type_bytes(type) == 0)
    return text("element type ", type, " is unknown");
  if (reduction < TUTTI_SUM || reduction > TUTTI_PROD)
    return text("reduction ", reduction, " is unknown");
  if (type == TUTTI_BOOL)
    return "bool cannot be reduced; reduce u8 or i32 instead";
  if (reduction == TUTTI_MEAN && !is_float)
    return text("the mean of ", type_name(type),
                " is not defined; take the sum and divide it with the rounding that you want");
  return "";
}

void reduce_in_order(int32_t type, int32_t reduction, const void *const *sources, int64_t ranks,
                     void *const *destinations, int64_t destination_count, int64_t elements) {
  static const ReductionVariant reduce = best_variant();
  reduce(type, reduction, sources, ranks, destinations, destination_count, elements);
}

void divide_all(int32_t type, void *values, int64_t divisor, int64_t elements) {
  switch (type) {
  case TUTTI_F16:
    return divide<Half<Float16>>(values, divisor, elements);
  case TUTTI_BF16:
    return divide<Half<BFloat16>>(values, divisor, elements);
  case TUTTI_F32:
    return divide<Plain<float>>(values, divisor, elements);
  case TUTTI_F64:
    return divide<Plain<double>>(values, divisor, elements);
  }
}

bool is_half(int32_t type) { return type == TUTTI_F16 || type == TUTTI_BF16; }

void widen(int32_t type, const void *halves, float *floats, int64_t elements) {
  type == TUTTI_F16 ? widen_as<Float16>(halves, floats, elements)
                    : widen_as<BFloat16>(halves, floats, elements);
}

void narrow(int32_t type, const float *floats, void *halves, int64_t elements) {
  type == TUTTI_F16 ? narrow_as<Float16>(floats, halves, elements)
                    : narrow_as<BFloat16>(floats, halves, elements);
}

} // namespace tutti::runtime
