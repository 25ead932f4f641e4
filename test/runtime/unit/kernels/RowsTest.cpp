// Rows of tables: taken, put back, added up into a table and into a merged list; what each refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/unit/kernels/KernelHost.h"

#include <gmock/gmock.h>

#include <cstring>
#include <numeric>
#include <random>

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <typename T> using List = std::vector<T>;

/// The words of a name at the end of a kernel's parameters.
Parameters with_name(Parameters parameters, const std::string &name = "") {
  parameters.push_back(int64_t(name.size()));
  size_t first = parameters.size();
  parameters.resize(first + (name.size() + 7) / 8);
  std::memcpy(&parameters[first], name.data(), name.size());
  return parameters;
}

/// Rows of two floats, at indices of type I.
template <typename I>
Floats take(KernelHost &host, Floats table, List<I> indices, bool unused = false,
            const std::string &name = "") {
  Floats out(indices.size() * 2, 99);
  Parameters p = with_name(
      {1, int64_t(table.size()) / 2, 2 * sizeof(float), int64_t(indices.size()), sizeof(I), unused},
      name);
  void *buffers[] = {table.data(), indices.data(), out.data()};
  tutti_gather_rows(host.context, buffers, p.data());
  return out;
}

template <typename T, typename I>
List<T> scatter(KernelHost &host, List<I> indices, List<T> rows, int64_t table_rows, int32_t type,
                int64_t elements) {
  List<T> table(table_rows * elements, T(99));
  Parameters p =
      with_name({type, table_rows, elements, int64_t(indices.size()), int64_t(sizeof(I))});
  void *buffers[] = {indices.data(), rows.data(), table.data()};
  tutti_scatter_rows(host.context, buffers, p.data());
  return table;
}

template <typename T, typename I> struct Merged {
  List<I> indices;
  List<T> rows;
};

template <typename T, typename I>
Merged<T, I> merge(KernelHost &host, List<I> indices, List<T> rows, int64_t table_rows,
                   int32_t type, int64_t elements, int64_t longer = 0, const T *divisor = nullptr) {
  int64_t count = int64_t(indices.size()), out_count = count + longer;
  Merged<T, I> out = {List<I>(std::max<int64_t>(out_count, 0), I(77)),
                      List<T>(std::max<int64_t>(out_count, 0) * elements, T(99))};
  Parameters p = with_name(
      {type, table_rows, elements, count, out_count, int64_t(sizeof(I)), divisor != nullptr});
  List<void *> buffers = {indices.data(), rows.data()};
  if (divisor)
    buffers.push_back(const_cast<T *>(divisor));
  buffers.push_back(out.indices.data());
  buffers.push_back(out.rows.data());
  tutti_merge_rows(host.context, buffers.data(), p.data());
  return out;
}

} // namespace

TEST(GatherRows, reads_rows_from_both_ends) {
  KernelHost host;
  Floats table = {0, 1, 10, 11, 20, 21};
  EXPECT_THAT(take<int64_t>(host, table, {2, 0, -1, -3, 2}),
              ElementsAre(20, 21, 0, 1, 20, 21, 0, 1, 20, 21));
  EXPECT_THAT(take<int32_t>(host, table, {1, -2}), ElementsAre(10, 11, 10, 11));
  EXPECT_EQ(host.message(), "");
}

TEST(GatherRows, gives_zeros_for_unused_entries_where_there_may_be_some) {
  KernelHost host;
  EXPECT_THAT(take<int64_t>(host, {1, 2, 3, 4}, {2, 1}, true), ElementsAre(0, 0, 3, 4));
  EXPECT_EQ(host.message(), "");
}

TEST(GatherRows, takes_of_each_of_several_tables) {
  KernelHost host;
  Floats tables = {0, 1, 2, 100, 101, 102}, out(4);
  List<int64_t> indices = {2, 0};
  Parameters p = with_name({2, 3, sizeof(float), 2, 8, 0});
  void *buffers[] = {tables.data(), indices.data(), out.data()};
  tutti_gather_rows(host.context, buffers, p.data());
  EXPECT_THAT(out, ElementsAre(2, 0, 102, 100));
}

TEST(GatherRows, names_the_node_the_index_and_the_table) {
  for (int64_t index : {3, -4}) {
    KernelHost host;
    take<int64_t>(host, {0, 1, 10, 11, 20, 21}, {0, index}, false, "user_lookup");
    EXPECT_THAT(host.message(),
                HasSubstr("tutti_gather_rows: node 'user_lookup': index " + std::to_string(index) +
                          " (entry 1) is out of range: the table has 3 rows"));
  }
  KernelHost nameless;
  take<int32_t>(nameless, {0, 1}, {1});
  EXPECT_THAT(nameless.message(), HasSubstr("tutti_gather_rows: index 1 (entry 0)"));
}

TEST(GatherRows, refuses_impossible_sizes) {
  KernelHost host;
  Parameters p = with_name({1, -1, 8, 1, 8, 0});
  void *buffers[] = {nullptr, nullptr, nullptr};
  tutti_gather_rows(host.context, buffers, p.data());
  EXPECT_THAT(host.message(), HasSubstr("a size is negative"));
  KernelHost other;
  p = with_name({1, 1, 8, 1, 2, 0});
  tutti_gather_rows(other.context, buffers, p.data());
  EXPECT_THAT(other.message(), HasSubstr("an index is neither 4 nor 8 bytes long"));
}

TEST(ScatterUpdateRows, replaces_rows_and_leaves_the_others) {
  KernelHost host;
  Floats table = {0, 1, 2, 3, 4, 5}, rows = {8, 9, 6, 7};
  List<int64_t> indices = {1, 3};
  Parameters p = with_name({3, 2 * sizeof(float), 2, 8});
  void *buffers[] = {indices.data(), rows.data(), table.data()};
  tutti_scatter_update_rows(host.context, buffers, p.data());
  EXPECT_THAT(table, ElementsAre(0, 1, 8, 9, 4, 5)); // the second entry is unused
  indices = {4, 0};
  tutti_scatter_update_rows(host.context, buffers, p.data());
  EXPECT_THAT(host.message(),
              HasSubstr("tutti_scatter_update_rows: index 4 (entry 0) is out of range"));
}

TEST(ScatterRows, adds_rows_of_equal_index_in_order) {
  KernelHost host;
  Floats table =
      scatter<float, int64_t>(host, {1, -1, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, 4, TUTTI_F32, 2);
  EXPECT_THAT(table, ElementsAre(0, 0, 6, 8, 0, 0, 3, 4));
  // 1e8 + 1 + -1e8 is 0 in f32, in this order only.
  EXPECT_THAT((scatter<float, int32_t>(host, {0, 0, 0}, {1e8f, 1, -1e8f}, 1, TUTTI_F32, 1)),
              ElementsAre(0));
  EXPECT_THAT((scatter<double, int64_t>(host, {0, 0, 0}, {1e8, 1, -1e8}, 2, TUTTI_F64, 1)),
              ElementsAre(1, 0));
  EXPECT_EQ(host.message(), "");
}

TEST(ScatterRows, refuses_other_types_and_rows) {
  KernelHost host;
  scatter<float, int64_t>(host, {0}, {1}, 1, TUTTI_I32, 1);
  EXPECT_THAT(host.message(), HasSubstr("the element type is neither f32 nor f64"));
  KernelHost other;
  scatter<float, int64_t>(other, {2}, {1}, 1, TUTTI_F32, 1);
  EXPECT_THAT(other.message(), HasSubstr("tutti_scatter_rows: index 2 (entry 0)"));
}

TEST(MergeRows, gives_each_row_once_in_ascending_order) {
  KernelHost host;
  auto out = merge<float, int64_t>(host, {3, 0, -1, 0, 4}, {1, 2, 4, 8, 16}, 4, TUTTI_F32, 1);
  EXPECT_THAT(out.indices, ElementsAre(0, 3, 4, 4, 4));
  EXPECT_THAT(out.rows, ElementsAre(10, 5, 0, 0, 0));
}

TEST(MergeRows, handles_one_row_only_and_none_at_all) {
  KernelHost host;
  auto equal = merge<float, int32_t>(host, {2, 2, 2}, {1, 2, 3}, 5, TUTTI_F32, 1);
  EXPECT_THAT(equal.indices, ElementsAre(2, 5, 5));
  EXPECT_THAT(equal.rows, ElementsAre(6, 0, 0));
  auto unused = merge<double, int64_t>(host, {5, 5}, {1, 2}, 5, TUTTI_F64, 1);
  EXPECT_THAT(unused.indices, ElementsAre(5, 5));
  EXPECT_THAT(unused.rows, ElementsAre(0, 0));
  auto empty = merge<float, int64_t>(host, {}, {}, 5, TUTTI_F32, 1, 1);
  EXPECT_THAT(empty.indices, ElementsAre(5));
  EXPECT_EQ(host.message(), "");
}

TEST(MergeRows, divides_sums_and_fills_up_a_longer_result) {
  KernelHost host;
  float ranks = 3;
  auto out = merge<float, int64_t>(host, {1, 1}, {1, 2, 1, 3}, 2, TUTTI_F32, 2, 1, &ranks);
  EXPECT_THAT(out.indices, ElementsAre(1, 2, 2));
  EXPECT_THAT(out.rows, ElementsAre(2.0f / 3, 5.0f / 3, 0, 0, 0, 0));
}

TEST(MergeRows, is_what_scatter_adds_bit_for_bit) {
  KernelHost host;
  std::mt19937 random(7);
  List<int64_t> indices(500);
  for (int64_t &index : indices)
    index = int64_t(random() % 60) - 20; // some from the end
  Floats rows = numbers(500 * 3, 2);
  auto merged = merge<float, int64_t>(host, indices, rows, 40, TUTTI_F32, 3);
  EXPECT_EQ((scatter<float, int64_t>(host, merged.indices, merged.rows, 40, TUTTI_F32, 3)),
            (scatter<float, int64_t>(host, indices, rows, 40, TUTTI_F32, 3)));
  EXPECT_TRUE(std::is_sorted(merged.indices.begin(), merged.indices.end()));
}

TEST(MergeRows, of_merged_parts_is_the_sum_of_their_tables) {
  KernelHost host;
  auto a = merge<float, int64_t>(host, {1, 3, 1}, {0.1f, 0.2f, 0.3f}, 4, TUTTI_F32, 1);
  auto b = merge<float, int64_t>(host, {3, 3, 0}, {0.7f, 0.6f, 0.5f}, 4, TUTTI_F32, 1);
  List<int64_t> indices = a.indices;
  Floats rows = a.rows;
  indices.insert(indices.end(), b.indices.begin(), b.indices.end());
  rows.insert(rows.end(), b.rows.begin(), b.rows.end());
  Floats sum = scatter<float, int64_t>(host, a.indices, a.rows, 4, TUTTI_F32, 1);
  Floats other = scatter<float, int64_t>(host, b.indices, b.rows, 4, TUTTI_F32, 1);
  std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
  auto all = merge<float, int64_t>(host, indices, rows, 4, TUTTI_F32, 1);
  EXPECT_EQ((scatter<float, int64_t>(host, all.indices, all.rows, 4, TUTTI_F32, 1)), sum);
}

TEST(MergeRows, refuses_a_result_that_is_too_short_and_strange_indices) {
  KernelHost host;
  merge<float, int64_t>(host, {0, 1}, {1, 2}, 2, TUTTI_F32, 1, -1);
  EXPECT_THAT(host.message(), HasSubstr("the result is shorter than the list"));
  KernelHost other;
  merge<float, int64_t>(other, {0, -3}, {1, 2}, 2, TUTTI_F32, 1);
  EXPECT_THAT(other.message(), HasSubstr("index -3 (entry 1) is out of range"));
}

TEST(CopyBlocks, moves_blocks_between_strides) {
  KernelHost host;
  Floats from = {1, 2, 3, 4, 5, 6}, to(4, 0);
  Parameters p = {2, 2 * sizeof(float), 3 * sizeof(float), sizeof(float), 2 * sizeof(float), 0};
  void *buffers[] = {from.data(), to.data()};
  tutti_copy_blocks(host.context, buffers, p.data());
  EXPECT_THAT(to, ElementsAre(2, 3, 5, 6));
}
