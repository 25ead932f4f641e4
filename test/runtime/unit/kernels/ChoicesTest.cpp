// Rows combined with others, and the largest and smallest elements of lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/unit/kernels/KernelHost.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <typename T> using List = std::vector<T>;

enum Kind : int64_t { sum, product, largest, smallest };

template <typename T>
List<T> combine(KernelHost &host, Kind kind, int32_t type, List<T> table, List<int64_t> indices,
                List<T> rows, int64_t elements = 1) {
  Parameters p = {type,
                  kind,
                  int64_t(table.size()) / elements,
                  elements,
                  int64_t(indices.size()),
                  sizeof(int64_t),
                  0};
  void *buffers[] = {indices.data(), rows.data(), table.data()};
  tutti_combine_rows(host.context, buffers, p.data());
  return table;
}

template <typename T> struct Chosen {
  List<T> values;
  List<int64_t> indices;
};

template <typename T>
Chosen<T> choose(KernelHost &host, int32_t type, List<T> x, int64_t size, int64_t k,
                 bool is_smallest = false, int64_t inner = 1) {
  int64_t outer = int64_t(x.size()) / size / inner;
  Chosen<T> out = {List<T>(outer * k * inner), List<int64_t>(outer * k * inner)};
  Parameters p = {type, outer, size, inner, k, is_smallest, 0};
  void *buffers[] = {x.data(), out.values.data(), out.indices.data()};
  tutti_top_k(host.context, buffers, p.data());
  return out;
}

TEST(CombineRows, combines_in_order_what_has_one_index) {
  KernelHost host;
  EXPECT_THAT(combine<float>(host, product, TUTTI_F32, {2, 3, 5}, {0, -1, 0, 3}, {7, 11, 13, 99}),
              ElementsAre(182, 3, 55)); // the last entry is unused
  EXPECT_THAT(combine<double>(host, largest, TUTTI_F64, {2, 3, 5}, {0, 1, 1}, {-1, 4, 9}),
              ElementsAre(2, 9, 5));
  EXPECT_THAT(combine<float>(host, smallest, TUTTI_F32, {2, 3, 5, 7}, {1, 0}, {4, 9, 1, 8}, 2),
              ElementsAre(1, 3, 4, 7));
  EXPECT_THAT(combine<int32_t>(host, sum, TUTTI_I32, {2, 2147483647}, {0, 1}, {-5, 1}),
              ElementsAre(-3, std::numeric_limits<int32_t>::min()));
  EXPECT_THAT(combine<int64_t>(host, product, TUTTI_I64, {int64_t(1) << 62}, {0}, {4}),
              ElementsAre(0));
  EXPECT_EQ(host.message(), "");
}

TEST(CombineRows, keeps_what_is_no_number) {
  KernelHost host;
  for (Kind kind : {sum, product, largest, smallest}) {
    Floats table = combine<float>(host, kind, TUTTI_F32, {NAN, 1, 1}, {0, 1, 1}, {1, NAN, 2});
    EXPECT_TRUE(std::isnan(table[0])) << kind;
    EXPECT_TRUE(std::isnan(table[1])) << kind;
    EXPECT_EQ(table[2], 1) << kind;
  }
}

TEST(CombineRows, refuses_what_it_does_not_know) {
  KernelHost host;
  combine<float>(host, product, TUTTI_F32, {1, 2}, {3}, {1});
  EXPECT_THAT(host.message(), HasSubstr("tutti_combine_rows: index 3 (entry 0) is out of range"));
  KernelHost other;
  combine<float>(other, product, TUTTI_BF16, {1, 2}, {1}, {1});
  EXPECT_THAT(other.message(), HasSubstr("the element type is not f32, f64, i32 or i64"));
  KernelHost third;
  combine<float>(third, Kind(4), TUTTI_F32, {1, 2}, {1}, {1});
  EXPECT_THAT(third.message(), HasSubstr("the kind is not 0, 1, 2 or 3"));
}

TEST(TopK, chooses_the_first_of_equal_elements) {
  KernelHost host;
  Chosen<float> found = choose<float>(host, TUTTI_F32, {1, 3, 3, 2, 0, 5, 5, 5}, 4, 3);
  EXPECT_THAT(found.values, ElementsAre(3, 3, 2, 5, 5, 5));
  EXPECT_THAT(found.indices, ElementsAre(1, 2, 3, 1, 2, 3));
  found = choose<float>(host, TUTTI_F32, {1, 3, 3, 2, 5, 0, 0, 5}, 4, 2, /*is_smallest=*/true);
  EXPECT_THAT(found.values, ElementsAre(1, 2, 0, 0));
  EXPECT_THAT(found.indices, ElementsAre(0, 3, 1, 2));
}

TEST(TopK, works_along_any_dimension) {
  KernelHost host;
  Chosen<int64_t> found =
      choose<int64_t>(host, TUTTI_I64, {1, 9, 5, 2, 3, 7}, /*size=*/3, 2, false, /*inner=*/2);
  EXPECT_THAT(found.values, ElementsAre(5, 9, 3, 7));
  EXPECT_THAT(found.indices, ElementsAre(1, 0, 2, 2));
  EXPECT_THAT(choose<int32_t>(host, TUTTI_I32, {-1, -3}, 2, 2).values, ElementsAre(-1, -3));
  EXPECT_TRUE(choose<double>(host, TUTTI_F64, {1, 2}, 2, 0).values.empty());
}

TEST(TopK, takes_what_is_no_number_for_the_largest) {
  KernelHost host;
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(choose<double>(host, TUTTI_F64, {1, NAN, infinity, NAN}, 4, 4).indices,
              ElementsAre(1, 3, 2, 0));
  EXPECT_THAT(choose<double>(host, TUTTI_F64, {1, NAN, infinity, NAN}, 4, 4, true).indices,
              ElementsAre(0, 2, 1, 3));
}

TEST(TopK, refuses_more_elements_than_there_are) {
  KernelHost host;
  choose<float>(host, TUTTI_F32, {1, 2}, 2, 3);
  EXPECT_THAT(host.message(), HasSubstr("more elements are asked for than there are"));
}

} // namespace
