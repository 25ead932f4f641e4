// Values of programs: mapped where a run says they are, and what is wrong is named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/program/Values.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using testing::HasSubstr;

namespace {

Manifest wanting(std::vector<Value> values) {
  Manifest manifest;
  manifest.values = std::move(values);
  return manifest;
}

std::string complaint(std::vector<Value> values, const ValuePlaces &places) {
  std::vector<const void *> table(values.size());
  Result<Values> mapped = Values::map(wanting(std::move(values)), places, table.data());
  return mapped ? "no error" : mapped.error().message;
}

} // namespace

TEST(Values, the_table_has_their_places) {
  TemporaryFolder folder;
  std::string first = folder.write("first", "abcdefgh"), second = folder.write("second", "12345");
  std::vector<const void *> table(3);
  Result<Values> values =
      Values::map(wanting({{"x", 4, true}, {"y", 5, false}, {"z", 2, false}}),
                  {{"x", {first, 2}}, {"y", {second, 0}}, {"z", {first, 6}}}, table.data());
  ASSERT_TRUE(values) << values.error().message;
  auto text = [&](size_t index, size_t bytes) {
    return std::string(static_cast<const char *>(table[index]), bytes);
  };
  EXPECT_EQ(text(0, 4), "cdef");
  EXPECT_EQ(text(1, 5), "12345");
  EXPECT_EQ(text(2, 2), "gh");
  values->let_go_of_initial(); // the others stay
  EXPECT_EQ(text(1, 5), "12345");
  EXPECT_EQ(text(2, 2), "gh");
}

TEST(Values, what_is_wrong_is_named) {
  TemporaryFolder folder;
  std::string file = folder.write("file", "abcdefgh");
  EXPECT_THAT(complaint({{"x", 4, true}}, {}), HasSubstr("wants the value 'x'"));
  EXPECT_THAT(complaint({{"x", 4, true}}, {{"x", {folder.path("none"), 0}}}),
              HasSubstr("none': No such file"));
  for (int64_t offset : {int64_t(5), int64_t(9), int64_t(-1), INT64_MAX})
    EXPECT_THAT(complaint({{"x", 4, true}}, {{"x", {file, offset}}}),
                HasSubstr("has 8 bytes, but the value 'x' takes 4 from"));
  EXPECT_THAT(complaint({{"x", INT64_MAX, true}}, {{"x", {file, 1}}}), HasSubstr("has 8 bytes"));
}
