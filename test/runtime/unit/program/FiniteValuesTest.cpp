// Elements that are infinite or no number, of every type and at every place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/FiniteValues.h"

#include "runtime/support/HalfPrecision.h"
#include "tutti/types.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;

namespace {

template <typename Float>
std::optional<int64_t> find(int32_t type, const std::vector<Float> &values) {
  return find_non_finite(type, values.data(), int64_t(values.size()));
}

template <typename Store> void expect_bad_found(int32_t type, Store store) {
  using Float = decltype(store(0.0f));
  for (size_t count : {1u, 5u, 4096u, 10000u})
    for (size_t at : {size_t(0), count / 2, count - 1})
      for (float bad : {INFINITY, -INFINITY, NAN, -NAN}) {
        std::vector<Float> values(count, store(-1.5f));
        EXPECT_EQ(find(type, values), std::nullopt);
        values[at] = values.back() = store(bad);
        EXPECT_EQ(find(type, values), int64_t(at)) << bad << " of " << count;
      }
}

} // namespace

TEST(FiniteValues, finds_the_first_of_every_type) {
  expect_bad_found(TUTTI_F16, [](float value) { return Float16::store(value); });
  expect_bad_found(TUTTI_BF16, [](float value) { return BFloat16::store(value); });
  expect_bad_found(TUTTI_F32, [](float value) { return value; });
  expect_bad_found(TUTTI_F64, [](float value) { return double(value); });
}

TEST(FiniteValues, takes_the_largest_and_the_smallest_numbers) {
  EXPECT_EQ(find(TUTTI_F32, std::vector<float>{std::numeric_limits<float>::max(),
                                               std::numeric_limits<float>::denorm_min(), -0.0f}),
            std::nullopt);
  EXPECT_EQ(find(TUTTI_F64, std::vector<double>{std::numeric_limits<double>::lowest()}),
            std::nullopt);
  EXPECT_EQ(find(TUTTI_F16, std::vector<Float16>{Float16::store(65504)}), std::nullopt);
}

TEST(FiniteValues, takes_integers_and_nothing) {
  EXPECT_EQ(find(TUTTI_I32, std::vector<int32_t>{-1, 0x7f800000}), std::nullopt);
  EXPECT_EQ(find_non_finite(TUTTI_F32, nullptr, 0), std::nullopt);
}
