// Casts between all types of elements: which keep all values, which keep those that are there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Cast.h"
#include "runtime/support/HalfPrecision.h"
#include "runtime/support/Names.h"
#include "test/runtime/NpyBytes.h"

#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace tutti::runtime;
using namespace tutti::runtime::data;

namespace {

constexpr int32_t all_types[] = {TUTTI_F16, TUTTI_BF16, TUTTI_F32, TUTTI_F64, TUTTI_BOOL,
                                 TUTTI_U8,  TUTTI_I8,   TUTTI_I16, TUTTI_I32, TUTTI_I64};

template <typename From, typename To>
std::vector<To> cast(int32_t from, int32_t to, const std::vector<From> &values) {
  std::vector<To> out(values.size());
  cast_of(from, to)(reinterpret_cast<const char *>(values.data()),
                    reinterpret_cast<char *>(out.data()), int64_t(values.size()));
  return out;
}

template <typename From>
std::optional<int64_t> changed(int32_t from, int32_t to, const std::vector<From> &values) {
  return first_changed(from, to, reinterpret_cast<const char *>(values.data()),
                       int64_t(values.size()));
}

/// One NaN is as good as another.
std::string value_text(int32_t type, const char *elements, int64_t index) {
  std::string text = element_text(type, elements, index);
  return text == "-nan" ? "nan" : text;
}

constexpr auto none = std::nullopt;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

} // namespace

TEST(Cast, converts_whole_numbers_and_floats) {
  EXPECT_EQ((cast<uint8_t, float>(TUTTI_U8, TUTTI_F32, {0, 7, 255})),
            (std::vector<float>{0, 7, 255}));
  EXPECT_EQ((cast<int32_t, int64_t>(TUTTI_I32, TUTTI_I64, {-1, INT32_MAX})),
            (std::vector<int64_t>{-1, INT32_MAX}));
  EXPECT_EQ((cast<double, int16_t>(TUTTI_F64, TUTTI_I16, {-3, 300})),
            (std::vector<int16_t>{-3, 300}));
  EXPECT_EQ((cast<double, uint8_t>(TUTTI_F64, TUTTI_BOOL, {0, 1})), (std::vector<uint8_t>{0, 1}));
  EXPECT_EQ((cast<float, uint16_t>(TUTTI_F32, TUTTI_F16, {1, -2})),
            (std::vector<uint16_t>{0x3c00, 0xc000}));
  EXPECT_EQ((cast<uint16_t, double>(TUTTI_BF16, TUTTI_F64, {0x3f80, 0xc000})),
            (std::vector<double>{1, -2}));
}

TEST(Cast, a_value_out_of_range_becomes_some_value) {
  std::vector<int64_t> out =
      cast<double, int64_t>(TUTTI_F64, TUTTI_I64, {not_a_number, inf, -inf, 1e300});
  EXPECT_EQ(out, (std::vector<int64_t>{0, INT64_MAX, INT64_MIN, INT64_MAX}));
}

TEST(Cast, needs_no_alignment) {
  std::string bytes = "#" + bytes_of<int32_t>({5, -6});
  std::string out(1 + 2 * 8, 0);
  cast_of(TUTTI_I32, TUTTI_F64)(bytes.data() + 1, out.data() + 1, 2);
  double second;
  std::memcpy(&second, out.data() + 9, 8);
  EXPECT_EQ(second, -6);
}

TEST(Cast, finds_the_first_value_that_does_not_stay) {
  EXPECT_EQ(changed<double>(TUTTI_F64, TUTTI_F32, {1, 0.5, 0.1, 0.2}), 2);
  EXPECT_EQ(changed<double>(TUTTI_F64, TUTTI_F32, {1e39}), 0);
  EXPECT_EQ(changed<double>(TUTTI_F64, TUTTI_F32, {not_a_number, inf, -inf, -0.0}), none);
  EXPECT_EQ(changed<double>(TUTTI_F64, TUTTI_I64, {not_a_number}), 0);
  EXPECT_EQ(changed<double>(TUTTI_F64, TUTTI_I64, {-0x1p63, 0x1p63}), 1);
  EXPECT_EQ(changed<float>(TUTTI_F32, TUTTI_F16, {2048, 2049}), 1);
  EXPECT_EQ(changed<float>(TUTTI_F32, TUTTI_F16, {65504, 65536}), 1);
  EXPECT_EQ(changed<int64_t>(TUTTI_I64, TUTTI_I32, {INT32_MAX, int64_t(INT32_MAX) + 1}), 1);
  EXPECT_EQ(changed<int64_t>(TUTTI_I64, TUTTI_F64, {int64_t(1) << 53, (int64_t(1) << 53) + 1}), 1);
  EXPECT_EQ(changed<int64_t>(TUTTI_I64, TUTTI_F32, {INT64_MAX}), 0) << "it rounds to 2^63";
  EXPECT_EQ(changed<int64_t>(TUTTI_I64, TUTTI_U8, {0, 255, -1}), 2);
  EXPECT_EQ(changed<uint8_t>(TUTTI_U8, TUTTI_BOOL, {0, 1, 2}), 2);
  EXPECT_EQ(changed<uint8_t>(TUTTI_BOOL, TUTTI_F16, {0, 1, 1}), none);
}

/// What the table says of types is what the conversions do to their values.
TEST(Cast, types_that_hold_all_values_change_none) {
  std::string patterns;
  for (int value = 0; value < 1 << 16; ++value)
    patterns += bytes_of<uint16_t>({uint16_t(value)});
  patterns += bytes_of<int64_t>({INT64_MIN, INT64_MAX, 1, -1}) +
              bytes_of<double>({1e308, 5e-324, -1e-300, 0.1}) +
              bytes_of<float>({3e38f, 1e-45f, 0.1f, -1}) +
              bytes_of<int32_t>({INT32_MIN, INT32_MAX});
  for (int32_t from : all_types)
    for (int32_t to : all_types) {
      int64_t size = type_bytes(from), count = int64_t(patterns.size()) / size;
      std::string back(size_t(count * size), 0), there(size_t(count * type_bytes(to)), 0);
      cast_of(from, to)(patterns.data(), there.data(), count);
      cast_of(to, from)(there.data(), back.data(), count);
      int64_t different = 0;
      bool are_whole = from >= TUTTI_I8 && to >= TUTTI_I8 && from != TUTTI_F64;
      for (int64_t i = 0; i < count; ++i)
        different += value_text(from, patterns.data(), i) != value_text(from, back.data(), i) ||
                     (are_whole &&
                      element_text(from, patterns.data(), i) != element_text(to, there.data(), i));
      EXPECT_EQ(different == 0, has_all_values(from, to))
          << type_name(from) << " " << type_name(to);
    }
}

TEST(Cast, tells_elements_apart) {
  std::string doubles = bytes_of<double>({0.1, 1e300, not_a_number});
  EXPECT_EQ(element_text(TUTTI_F64, doubles.data(), 0), "0.1");
  EXPECT_EQ(element_text(TUTTI_F64, doubles.data(), 1), "1e+300");
  std::string bytes("\x01\xff", 2);
  EXPECT_EQ(element_text(TUTTI_I8, bytes.data(), 1), "-1");
  EXPECT_EQ(element_text(TUTTI_U8, bytes.data(), 1), "255");
  EXPECT_EQ(integer_element(TUTTI_I8, bytes.data(), 1), -1);
  EXPECT_EQ(integer_element(TUTTI_U8, bytes.data(), 1), 255);
}
