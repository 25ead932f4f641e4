// Reduction in rank order, element by element; conversions of half precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/reduction/Reduction.h"

#include "runtime/engine/reduction/ReductionVariants.h"
#include "runtime/support/HalfPrecision.h"
#include "runtime/support/Names.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

template <typename T> T reduce(int32_t type, int32_t reduction, const std::vector<T> &values) {
  std::vector<const void *> sources;
  for (const T &value : values)
    sources.push_back(&value);
  T out;
  void *destination = &out;
  reduce_in_order(type, reduction, sources.data(), int64_t(values.size()), &destination, 1, 1);
  return out;
}

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST(Reduction, sums_from_the_left) {
  std::vector<float> values = {1e8f, 1.0f, -1e8f, 3.0f};
  EXPECT_EQ(reduce(TUTTI_F32, TUTTI_SUM, values), ((1e8f + 1.0f) + -1e8f) + 3.0f);
}

TEST(Reduction, divides_the_mean_once) {
  std::vector<float> values = {1.1f, 2.2f, 4.7f};
  EXPECT_EQ(reduce(TUTTI_F32, TUTTI_MEAN, values), (1.1f + 2.2f + 4.7f) / 3.0f);
  EXPECT_EQ(reduce<float>(TUTTI_F32, TUTTI_MEAN, {5.5f}), 5.5f);
}

TEST(Reduction, does_not_depend_on_the_length_of_the_buffers) {
  constexpr int64_t count = 5000;
  std::vector<float> a(count), b(count), c(count), whole(count), piecewise(count);
  for (int64_t i = 0; i < count; ++i) {
    a[i] = float(i) * 0.1f;
    b[i] = 1.0f / float(i + 1);
    c[i] = -a[i];
  }
  auto run = [&](int64_t begin, int64_t length, std::vector<float> &out) {
    const void *sources[] = {&a[begin], &b[begin], &c[begin]};
    void *destination = &out[begin];
    reduce_in_order(TUTTI_F32, TUTTI_MEAN, sources, 3, &destination, 1, length);
  };
  run(0, count, whole);
  for (int64_t begin = 0; begin < count; begin += 7)
    run(begin, std::min<int64_t>(7, count - begin), piecewise);
  EXPECT_EQ(whole, piecewise);
}

TEST(Reduction, finds_extremes_and_keeps_nan) {
  EXPECT_EQ(reduce<float>(TUTTI_F32, TUTTI_MIN, {2, -1, 3}), -1);
  EXPECT_EQ(reduce<float>(TUTTI_F32, TUTTI_MAX, {2, -1, 3}), 3);
  EXPECT_EQ(reduce<double>(TUTTI_F64, TUTTI_PROD, {2, -1, 3}), -6);
  EXPECT_TRUE(std::isnan(reduce<float>(TUTTI_F32, TUTTI_MAX, {1, nan_value, 2})));
  EXPECT_TRUE(std::isnan(reduce<float>(TUTTI_F32, TUTTI_MIN, {nan_value, 1, 2})));
}

TEST(Reduction, wraps_integers_around) {
  EXPECT_EQ(reduce<int8_t>(TUTTI_I8, TUTTI_SUM, {100, 100}), int8_t(200));
  EXPECT_EQ(reduce<uint8_t>(TUTTI_U8, TUTTI_PROD, {20, 20}), uint8_t(400));
  EXPECT_EQ(reduce<int16_t>(TUTTI_I16, TUTTI_PROD, {-300, 300}), int16_t(-90000));
  EXPECT_EQ(reduce<int32_t>(TUTTI_I32, TUTTI_SUM, {INT32_MAX, 1}), INT32_MIN);
  EXPECT_EQ(reduce<int64_t>(TUTTI_I64, TUTTI_MAX, {-3, -2}), -2);
}

TEST(Reduction, accumulates_half_precision_in_f32) {
  std::vector<Float16> values(5, Float16::store(2048.0f)); // 2048 + 1 is not an f16
  for (size_t i = 1; i < values.size(); ++i)
    values[i] = Float16::store(1.0f);
  EXPECT_EQ(reduce(TUTTI_F16, TUTTI_SUM, values).load(), 2052.0f);
  std::vector<BFloat16> more(5, BFloat16::store(1.0f));
  more[0] = BFloat16::store(256.0f);
  EXPECT_EQ(reduce(TUTTI_BF16, TUTTI_SUM, more).load(), 260.0f);
}

TEST(Reduction, writes_all_destinations_even_over_its_sources) {
  std::vector<int32_t> a = {1, 2}, b = {10, 20};
  const void *sources[] = {a.data(), b.data()};
  void *destinations[] = {a.data(), b.data()};
  reduce_in_order(TUTTI_I32, TUTTI_SUM, sources, 2, destinations, 2, 2);
  EXPECT_EQ(a, (std::vector<int32_t>{11, 22}));
  EXPECT_EQ(b, a);
}

TEST(Reduction, refuses_what_has_no_meaning) {
  EXPECT_EQ(reduction_problem(TUTTI_F16, TUTTI_MEAN), "");
  EXPECT_THAT(reduction_problem(TUTTI_I32, TUTTI_MEAN), HasSubstr("the mean of i32"));
  EXPECT_THAT(reduction_problem(TUTTI_BOOL, TUTTI_SUM), HasSubstr("bool cannot be reduced"));
  EXPECT_THAT(reduction_problem(99, TUTTI_SUM), HasSubstr("element type 99 is unknown"));
  EXPECT_THAT(reduction_problem(TUTTI_F32, 99), HasSubstr("reduction 99 is unknown"));
}

TEST(HalfPrecision, every_f16_survives_a_round_trip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = Float16{uint16_t(bits)}.load();
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(Float16::store(wide).load()));
    else
      EXPECT_EQ(Float16::store(wide).bits, bits);
  }
}

TEST(HalfPrecision, every_nan_is_stored_alike) {
  for (uint32_t wide :
       {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xff800001u, 0xffc00000u, 0xffffffffu}) {
    EXPECT_EQ(Float16::store(float_from_bits(wide)).bits, 0x7e00);
    EXPECT_EQ(BFloat16::store(float_from_bits(wide)).bits, 0x7fc0);
  }
}

TEST(HalfPrecision, every_bf16_survives_a_round_trip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = BFloat16{uint16_t(bits)}.load();
    if (std::isnan(wide))
      EXPECT_TRUE(std::isnan(BFloat16::store(wide).load()));
    else
      EXPECT_EQ(BFloat16::store(wide).bits, bits);
  }
}

TEST(HalfPrecision, rounds_to_nearest_even) {
  EXPECT_EQ(Float16::store(2049.0f).load(), 2048.0f);
  EXPECT_EQ(Float16::store(2051.0f).load(), 2052.0f);
  EXPECT_EQ(Float16::store(65520.0f).load(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Float16::store(65519.0f).load(), 65504.0f);
  EXPECT_EQ(Float16::store(0x1p-25f).load(), 0.0f);
  EXPECT_EQ(Float16::store(0x1.8p-25f).load(), 0x1p-24f);
  EXPECT_EQ(BFloat16::store(257.0f).load(), 256.0f);
  EXPECT_EQ(BFloat16::store(259.0f).load(), 260.0f);
}

namespace {

/// `count` values of every kind that a type of `bytes` bytes has, from a counter.
std::vector<unsigned char> noise(int64_t count, int64_t bytes, uint64_t seed) {
  std::vector<unsigned char> all(count * bytes);
  for (unsigned char &byte : all) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    byte = (unsigned char)(seed >> 33);
  }
  return all;
}

/// What `variant` makes of three noisy sources, in three destinations.
std::vector<std::vector<unsigned char>> reduce_noise(ReductionVariant variant, int32_t type,
                                                     int32_t reduction, int64_t ranks,
                                                     int64_t count) {
  int64_t bytes = type_bytes(type);
  std::vector<std::vector<unsigned char>> sources, results(3, noise(count, bytes, 0));
  for (int64_t rank = 0; rank < ranks; ++rank)
    sources.push_back(noise(count, bytes, uint64_t(rank + 1)));
  std::vector<const void *> from;
  std::vector<void *> to;
  for (auto &source : sources)
    from.push_back(source.data());
  for (auto &result : results)
    to.push_back(result.data());
  variant(type, reduction, from.data(), ranks, to.data(), 3, count);
  return results;
}

} // namespace

TEST(Reduction, gives_the_same_bits_with_all_vectors) {
  auto expect_equal = [](ReductionVariant variant, int32_t type, int32_t reduction) {
    for (int64_t ranks : {1, 2, 3, 4, 5})
      EXPECT_EQ(reduce_noise(variant, type, reduction, ranks, 1061),
                reduce_noise(portable_reduction(), type, reduction, ranks, 1061))
          << type_name(type) << " " << reduction_name(reduction) << " " << ranks;
  };
  for (ReductionVariant variant : {avx2_reduction(), avx512_reduction()})
    for (int32_t type = TUTTI_F16; variant && type <= TUTTI_I64; ++type)
      for (int32_t reduction = TUTTI_SUM; reduction <= TUTTI_PROD; ++reduction)
        if (reduction_problem(type, reduction).empty())
          expect_equal(variant, type, reduction);
}

TEST(Reduction, writes_every_destination) {
  for (size_t destinations : {1, 2, 3, 4, 5})
    for (size_t ranks : {2, 3, 4, 5}) {
      std::vector<std::vector<float>> sources(ranks, std::vector<float>(37, 1.5f));
      std::vector<std::vector<float>> results(destinations, std::vector<float>(37));
      std::vector<const void *> from;
      std::vector<void *> to;
      for (auto &source : sources)
        from.push_back(source.data());
      for (auto &result : results)
        to.push_back(result.data());
      reduce_in_order(TUTTI_F32, TUTTI_SUM, from.data(), int64_t(ranks), to.data(),
                      int64_t(destinations), 37);
      for (const auto &result : results)
        EXPECT_EQ(result, std::vector<float>(37, 1.5f * float(ranks)));
    }
}
