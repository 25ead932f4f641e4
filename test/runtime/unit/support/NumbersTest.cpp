// Numbers from text, products, names that are nearly right, and what a system's error says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/support/Numbers.h"
#include "runtime/support/Spelling.h"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace tutti::runtime;
using testing::HasSubstr;

namespace {

std::string complaint(std::string_view text, int64_t low, int64_t high) {
  Result<int64_t> number = parse_integer<int64_t>(text, low, high);
  return number ? "no error" : number.error().message;
}

} // namespace

TEST(Numbers, are_read_from_the_first_digit_to_the_last) {
  EXPECT_EQ(*parse_integer<int64_t>("0", 0), 0);
  EXPECT_EQ(*parse_integer<int64_t>("007", 1), 7);
  EXPECT_EQ(*parse_integer<int64_t>("-12", -20), -12);
  EXPECT_EQ(*parse_integer<int64_t>("9223372036854775807", 1), INT64_MAX);
  EXPECT_EQ(*parse_integer<int64_t>("-9223372036854775808", INT64_MIN), INT64_MIN);
  EXPECT_EQ(*parse_integer<uint64_t>("18446744073709551615", 0), UINT64_MAX);
}

TEST(Numbers, anything_else_is_no_number) {
  for (const char *text : {"", " ", "-", "x", "0x10", "1e3", "1.0", " 1", "1 ", "1x", "+1", "--1",
                           "1_000", "1,000", "inf", "nan", "true", "\xef\xbc\x91"})
    EXPECT_EQ(complaint(text, 1, 9), std::string("'") + text +
                                         "' is not a whole number in decimal digits; 1 to 9 are "
                                         "allowed");
}

TEST(Numbers, say_what_is_allowed) {
  EXPECT_EQ(complaint("10", 1, 9), "10 is out of range; 1 to 9 are allowed");
  EXPECT_EQ(complaint("0", 1, 9), "0 is out of range; 1 to 9 are allowed");
  EXPECT_EQ(complaint("-1", 0, 9), "-1 is out of range; 0 to 9 are allowed");
  EXPECT_EQ(complaint("100000000000000000000", 1, INT64_MAX),
            "100000000000000000000 is out of range; 1 to 9223372036854775807 are allowed");
  EXPECT_EQ(parse_integer<uint64_t>("18446744073709551616", 0).error().message,
            "18446744073709551616 is out of range; 0 to 18446744073709551615 are allowed");
  EXPECT_FALSE(parse_integer<uint64_t>("-1", 0));
}

TEST(Numbers, products_do_not_overflow) {
  EXPECT_EQ(checked_product({}), 1);
  EXPECT_EQ(checked_product({3, -4, 5}), -60);
  EXPECT_EQ(checked_product({INT64_MAX, 1}), INT64_MAX);
  EXPECT_EQ(checked_product({INT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(checked_product({int64_t(1) << 32, int64_t(1) << 31}), std::nullopt);
  EXPECT_EQ(checked_product({INT64_MIN, -1}), std::nullopt);
  EXPECT_EQ(checked_product({0, INT64_MAX, INT64_MAX}), 0);
}

TEST(Spelling, counts_what_differs) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("label", "labels"), 1u);
  EXPECT_EQ(edit_distance("lable", "label"), 2u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Spelling, finds_the_name_that_is_meant) {
  const std::vector<std::string> names = {"images", "labels", "x_train"};
  EXPECT_EQ(nearest_name("label", names), "labels");
  EXPECT_EQ(nearest_name("LABELS", names), "labels");
  EXPECT_EQ(nearest_name("lables", names), "labels");
  EXPECT_EQ(nearest_name("image", names), "images");
  EXPECT_EQ(nearest_name("x", names), "x_train");
  EXPECT_EQ(nearest_name("weights", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("a", {"b"}), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'a'), {std::string(100001, 'a')}), "");
}

TEST(Spelling, joins_names) {
  EXPECT_EQ(join_names({}), "nothing");
  EXPECT_EQ(join_names({"a", "b"}), "a, b");
}

TEST(SystemMessage, names_the_limit_that_was_met) {
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit fewer = {100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &fewer), 0);
  EXPECT_EQ(system_message(EMFILE),
            "Too many open files; the limit is 100 open files; raise it with ulimit -n");
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(system_message(ENOENT), "No such file or directory");
}
