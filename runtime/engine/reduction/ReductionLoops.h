// The loops of reductions. Included by one file for each set of vector instructions, within a
// namespace of its own, after all other headers: everything here is compiled once for each of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

constexpr int64_t block_elements = 1024; ///< sums of a block stay in the first-level cache

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

/// One step of a reduction. Integers wrap around; of minimum and maximum a NaN on either side
/// stays.
struct Add {
  template <typename T> static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
};
struct Multiply {
  template <typename T> static T combine(T a, T b) {
    if constexpr (std::is_integral_v<T>) // through 64 bits: narrower types would promote to int
      return T(uint64_t(a) * uint64_t(b));
    else
      return a * b;
  }
};
struct Minimum {
  template <typename T> static T combine(T a, T b) { return (a != a || a < b) ? a : b; }
};
struct Maximum {
  template <typename T> static T combine(T a, T b) { return (a != a || a > b) ? a : b; }
};

/// What is reduced where.
struct Operands {
  const void *const *sources;
  int64_t ranks;
  void *const *destinations;
  int64_t destination_count;
  int64_t elements;
  bool is_mean;
};

/// In blocks: reads each source once, writes each destination once, any number of them.
template <typename Format, typename Step> void reduce_blocks(const Operands &all) {
  using Stored = typename Format::Stored;
  using Sum = typename Format::Sum;
  Sum sums[block_elements];
  Stored stored[block_elements];
  for (int64_t begin = 0; begin < all.elements; begin += block_elements) {
    int64_t count = std::min(block_elements, all.elements - begin);
    const Stored *first = static_cast<const Stored *>(all.sources[0]) + begin;
    for (int64_t i = 0; i < count; ++i)
      sums[i] = Format::load(first[i]);
    for (int64_t rank = 1; rank < all.ranks; ++rank) {
      const Stored *source = static_cast<const Stored *>(all.sources[rank]) + begin;
      for (int64_t i = 0; i < count; ++i)
        sums[i] = Step::combine(sums[i], Format::load(source[i]));
    }
    if (all.is_mean)
      for (int64_t i = 0; i < count; ++i)
        sums[i] = Sum(sums[i] / Sum(all.ranks));
    for (int64_t i = 0; i < count; ++i)
      stored[i] = Format::store(sums[i]);
    for (int64_t d = 0; d < all.destination_count; ++d)
      std::memcpy(static_cast<Stored *>(all.destinations[d]) + begin, stored,
                  count * sizeof(Stored));
  }
}

/// Sums of `ranks` f32 sources into `writes` destinations in one pass.
template <int ranks, int writes, bool is_mean> void add_floats(const Operands &all) {
  const float *s0 = static_cast<const float *>(all.sources[0]);
  const float *s1 = static_cast<const float *>(all.sources[1]);
  const float *s2 = ranks > 2 ? static_cast<const float *>(all.sources[2]) : nullptr;
  const float *s3 = ranks > 3 ? static_cast<const float *>(all.sources[3]) : nullptr;
  float *d0 = static_cast<float *>(all.destinations[0]);
  float *d1 = writes > 1 ? static_cast<float *>(all.destinations[1]) : nullptr;
  float *d2 = writes > 2 ? static_cast<float *>(all.destinations[2]) : nullptr;
  float *d3 = writes > 3 ? static_cast<float *>(all.destinations[3]) : nullptr;
#pragma GCC ivdep
  for (int64_t i = 0; i < all.elements; ++i) {
    float sum = s0[i] + s1[i];
    if constexpr (ranks > 2)
      sum += s2[i];
    if constexpr (ranks > 3)
      sum += s3[i];
    if constexpr (is_mean)
      sum /= float(ranks);
    d0[i] = sum;
    if constexpr (writes > 1)
      d1[i] = sum;
    if constexpr (writes > 2)
      d2[i] = sum;
    if constexpr (writes > 3)
      d3[i] = sum;
  }
}

template <int ranks, bool is_mean> void add_floats_of(const Operands &all) {
  switch (all.destination_count) {
  case 1:
    return add_floats<ranks, 1, is_mean>(all);
  case 2:
    return add_floats<ranks, 2, is_mean>(all);
  case 3:
    return add_floats<ranks, 3, is_mean>(all);
  case 4:
    return add_floats<ranks, 4, is_mean>(all);
  }
  reduce_blocks<Plain<float>, Add>(all);
}

template <bool is_mean> void add_floats_of_all(const Operands &all) {
  switch (all.ranks) {
  case 2:
    return add_floats_of<2, is_mean>(all);
  case 3:
    return add_floats_of<3, is_mean>(all);
  case 4:
    return add_floats_of<4, is_mean>(all);
  }
  reduce_blocks<Plain<float>, Add>(all);
}

template <typename Format> void reduce_as(int32_t reduction, const Operands &all) {
  switch (reduction) {
  case TUTTI_MIN:
    return reduce_blocks<Format, Minimum>(all);
  case TUTTI_MAX:
    return reduce_blocks<Format, Maximum>(all);
  case TUTTI_PROD:
    return reduce_blocks<Format, Multiply>(all);
  }
  if constexpr (std::is_same_v<Format, Plain<float>>)
    return all.is_mean ? add_floats_of_all<true>(all) : add_floats_of_all<false>(all);
  else
    return reduce_blocks<Format, Add>(all);
}

void reduce_any(int32_t type, int32_t reduction, const void *const *sources, int64_t ranks,
                void *const *destinations, int64_t destination_count, int64_t elements) {
  Operands all = {sources,           ranks,    destinations,
                  destination_count, elements, reduction == TUTTI_MEAN};
  switch (type) {
  case TUTTI_F16:
    return reduce_as<Half<Float16>>(reduction, all);
  case TUTTI_BF16:
    return reduce_as<Half<BFloat16>>(reduction, all);
  case TUTTI_F32:
    return reduce_as<Plain<float>>(reduction, all);
  case TUTTI_F64:
    return reduce_as<Plain<double>>(reduction, all);
  case TUTTI_I8:
    return reduce_as<Plain<int8_t>>(reduction, all);
  case TUTTI_U8:
    return reduce_as<Plain<uint8_t>>(reduction, all);
  case TUTTI_I16:
    return reduce_as<Plain<int16_t>>(reduction, all);
  case TUTTI_I32:
    return reduce_as<Plain<int32_t>>(reduction, all);
  case TUTTI_I64:
    return reduce_as<Plain<int64_t>>(reduction, all);
  }
}
