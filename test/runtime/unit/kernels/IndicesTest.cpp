// What is said of labels, and of other indices, that a node of the program cannot use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/data/Dataset.h"
#include "test/runtime/NpyBytes.h"
#include "test/runtime/TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tutti::runtime;
using namespace tutti::runtime::data;
using testing::HasSubstr;

namespace {

class Indices : public testing::Test {
protected:
  /// The complaint about a file `y.npy` for the input `label`.
  std::string complaint(const std::string &bytes, const IndexBounds &bounds,
                        std::vector<int64_t> shape = {1}) {
    Result<Dataset> dataset = Dataset::open({folder.write("y.npy", bytes)}, {{"label", "y"}});
    auto bound = dataset->bind({{"label", TUTTI_I64, std::move(shape), {bounds}}});
    return bound ? "no error" : bound.error().message;
  }
  std::string labels(const std::vector<int64_t> &values, const IndexBounds &bounds) {
    return complaint(npy("<i8", text("(", values.size(), ",)"), bytes_of(values)), bounds);
  }

  const IndexBounds digits = {0, 9, std::nullopt, "loss", true};
  TemporaryFolder folder;
};

} // namespace

TEST_F(Indices, that_exist_are_taken) {
  EXPECT_EQ(labels({0, 9, 5}, digits), "no error");
  EXPECT_EQ(labels({0, -100, 5}, {0, 9, -100, "loss", true}), "no error");
  EXPECT_EQ(labels({0, 255, 5}, {0, 9, 255, "loss", true}), "no error");
  EXPECT_EQ(labels({-4, 3}, {-4, 3, std::nullopt, "lookup", false}), "no error");
}

TEST_F(Indices, name_sample_value_node_and_classes) {
  EXPECT_EQ(
      labels({3, 1, 12}, digits),
      "dataset '" + folder.path("y.npy") +
          "': array 'y' (input 'label'): sample 2 is 12, but node 'loss' has the classes 0 to "
          "9; the array has values from 1 to 12");
  EXPECT_THAT(labels({3, int64_t(1) << 40}, digits), HasSubstr("sample 1 is 1099511627776,"));
  EXPECT_THAT(labels({3, INT64_MIN}, digits), HasSubstr("sample 1 is -9223372036854775808,"));
}

TEST_F(Indices, that_count_from_one_are_recognised) {
  EXPECT_THAT(labels({1, 10, 5}, digits),
              HasSubstr("they seem to count from 1: subtract 1 from each"));
  EXPECT_THAT(labels({0, 10, 5}, digits), testing::Not(HasSubstr("subtract")));
}

TEST_F(Indices, below_zero_may_be_meant_to_be_ignored) {
  EXPECT_THAT(labels({3, -1}, digits),
              HasSubstr("give the loss an ignore_index where a sample has no class"));
  EXPECT_THAT(labels({3, -2}, {0, 9, -1, "loss", true}),
              HasSubstr("has the classes 0 to 9, or -1 to be ignored"));
}

TEST_F(Indices, of_tables_count_from_either_end) {
  EXPECT_THAT(labels({3, -5}, {-4, 3, std::nullopt, "lookup", false}),
              HasSubstr("sample 1 is -5, but node 'lookup' has the entries -4 to 3"));
}

TEST_F(Indices, of_every_type_are_checked) {
  EXPECT_THAT(complaint(npy("|u1", "(2,)", "\x09\xff"), digits), HasSubstr("sample 1 is 255"));
  EXPECT_THAT(complaint(npy("<f4", "(2,)", bytes_of<float>({9, 10})), digits),
              HasSubstr("sample 1 is 10"));
  EXPECT_THAT(complaint(npy("<f4", "(2,)", bytes_of<float>({9, 2.5})), digits),
              HasSubstr("sample 1 is 2.5, which input 'label' of type i64 does not hold"));
}

TEST_F(Indices, name_the_element_where_a_sample_has_several) {
  std::string bytes = npy("<i4", "(2, 3)", bytes_of<int32_t>({0, 1, 2, 3, 40, 5}));
  EXPECT_THAT(complaint(bytes, digits, {1, 3}), HasSubstr("sample 1, element 1 is 40"));
}
