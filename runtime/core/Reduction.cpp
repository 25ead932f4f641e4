// Reduction in rank order, a block at a time so that partial results stay in the first-level cache:
// each source is read once, each destination written once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Reduction.h"

#include "runtime/core/Error.h"
#include "runtime/core/HalfPrecision.h"
#include "runtime/core/Names.h"

#include <algorithm>
#include <type_traits>

// Wider vectors where the processor has them; sanitizers cannot instrument the resolver.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TUTTI_WIDEST_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TUTTI_WIDEST_VECTORS
#endif

namespace tutti::runtime {
namespace {

constexpr int64_t block_elements = 1024;

/// How an element type is kept and what it is summed in.
template <typename T> struct Plain {
  using Stored = T;
  using Sum = T;
  static Sum load(Stored value) { return value; }
  static Stored store(Sum value) { return value; }
};
template <typename T> struct Half {
  using Stored = T;
  using Sum = float;
  static Sum load(Stored value) { return value.load(); }
  static Stored store(Sum value) { return T::store(value); }
};

template <typename T> T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}

template <typename T> T wrapping_multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) // through 64 bits: narrower types would promote to int
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

/// One step of the reduction; a NaN on either side stays.
template <typename T> T combine(int32_t reduction, T a, T b) {
  switch (reduction) {
  case TUTTI_MIN:
    return (a != a || a < b) ? a : b;
  case TUTTI_MAX:
    return (a != a || a > b) ? a : b;
  case TUTTI_PROD:
    return wrapping_multiply(a, b);
  default:
    return wrapping_add(a, b);
  }
}

TUTTI_WIDEST_VECTORS void add_floats(const float *a, const float *b, float *out, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = a[i] + b[i];
}

TUTTI_WIDEST_VECTORS void divide_floats(float *values, float divisor, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] /= divisor;
}

template <typename Format> class BlockReducer {
  using Stored = typename Format::Stored;
  using Sum = typename Format::Sum;

public:
  BlockReducer(int32_t reduction, int64_t ranks) : reduction(reduction), ranks(ranks) {}

  /// The reduction of elements begin .. begin + count, valid until the next call.
  const Stored *reduce(const void *const *sources, int64_t begin, int64_t count) {
    auto source = [&](int64_t rank) { return static_cast<const Stored *>(sources[rank]) + begin; };
    if constexpr (std::is_same_v<Format, Plain<float>>) {
      if (ranks > 1 && (reduction == TUTTI_SUM || reduction == TUTTI_MEAN))
        return sum_floats(source, count);
    }
    for (int64_t i = 0; i < count; ++i)
      sums[i] = Format::load(source(0)[i]);
    for (int64_t rank = 1; rank < ranks; ++rank)
      accumulate(source(rank), count);
    return finish(count);
  }

private:
  template <typename Source> const Stored *sum_floats(Source source, int64_t count) {
    add_floats(source(0), source(1), sums, count);
    for (int64_t rank = 2; rank < ranks; ++rank)
      add_floats(sums, source(rank), sums, count);
    if (reduction == TUTTI_MEAN)
      divide_floats(sums, float(ranks), count);
    return sums;
  }

  void accumulate(const Stored *source, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      sums[i] = combine(reduction, sums[i], Format::load(source[i]));
  }

  const Stored *finish(int64_t count) {
    if (reduction == TUTTI_MEAN)
      for (int64_t i = 0; i < count; ++i)
        sums[i] = Sum(sums[i] / Sum(ranks));
    if constexpr (std::is_same_v<Stored, Sum>)
      return sums;
    for (int64_t i = 0; i < count; ++i)
      stored[i] = Format::store(sums[i]);
    return stored;
  }

  int32_t reduction;
  int64_t ranks;
  Sum sums[block_elements];
  Stored stored[block_elements];
};

template <typename Format>
void reduce_blocks(int32_t reduction, const void *const *sources, int64_t ranks,
                   void *const *destinations, int64_t destination_count, int64_t elements) {
  using Stored = typename Format::Stored;
  BlockReducer<Format> reducer(reduction, ranks);
  for (int64_t begin = 0; begin < elements; begin += block_elements) {
    int64_t count = std::min(block_elements, elements - begin);
    const Stored *block = reducer.reduce(sources, begin, count);
    for (int64_t d = 0; d < destination_count; ++d)
      std::copy_n(block, count, static_cast<Stored *>(destinations[d]) + begin);
  }
}

} // namespace

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
  auto run = [&](auto format) {
    reduce_blocks<decltype(format)>(reduction, sources, ranks, destinations, destination_count,
                                    elements);
  };
  switch (type) {
  case TUTTI_F16:
    return run(Half<Float16>());
  case TUTTI_BF16:
    return run(Half<BFloat16>());
  case TUTTI_F32:
    return run(Plain<float>());
  case TUTTI_F64:
    return run(Plain<double>());
  case TUTTI_I8:
    return run(Plain<int8_t>());
  case TUTTI_U8:
    return run(Plain<uint8_t>());
  case TUTTI_I16:
    return run(Plain<int16_t>());
  case TUTTI_I32:
    return run(Plain<int32_t>());
  case TUTTI_I64:
    return run(Plain<int64_t>());
  }
}

} // namespace tutti::runtime
