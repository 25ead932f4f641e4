// Reductions in the order of nodes: the bits of a reduction in each node and one across them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/conformance/World.h"

#include "runtime/support/HalfPrecision.h"
#include "tutti/collectives.h"

#include <cstring>

using tutti::runtime::text;

namespace {

/// Worlds of two simulated nodes whose contexts reduce by node.
std::vector<World> node_worlds() {
  std::vector<World> all;
  for (World world : worlds())
    if (world.start != Start::launcher && (world.ranks == 4 || world.ranks == 8)) {
      world.nodes = 2;
      world.reduction_order = TUTTI_ORDER_NODES;
      all.push_back(world);
    }
  return all;
}

class NodeOrder : public Conformance {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NodeOrder);

/// Values whose sums depend on the order.
float value_of(int32_t rank, int64_t i) {
  return (rank % 3 == 1 ? 1e7f : 0.1f) * float(rank + 1) / float(i + 3);
}

constexpr int64_t node_group = 1, across_group = 2;

/// Makes the groups of this rank's node and of its number on both nodes.
void make_groups(tutti_context *context, int32_t rank) {
  std::vector<int64_t> node, across;
  int32_t half = tutti_context_size(context) / 2;
  for (int32_t i = 0; i < half; ++i)
    node.push_back(rank / half * half + i);
  across = {rank % half, rank % half + half};
  tutti_create_group(context, -1, node_group, half, node.data());
  tutti_create_group(context, -1, across_group, 2, across.data());
}

template <typename Stored>
std::string compare(const std::vector<Stored> &flat, const std::vector<Stored> &stepwise) {
  for (size_t i = 0; i < flat.size(); ++i)
    if (std::memcmp(&flat[i], &stepwise[i], sizeof flat[i]) != 0)
      return text("element ", i, " differs");
  return "";
}

/// One all_reduce on the world, and two in steps.
template <typename Stored, typename Convert>
std::string check(tutti_context *context, int32_t rank, int32_t type, int32_t reduction,
                  int64_t size, Convert convert) {
  std::vector<Stored> values, flat(size), stepwise(size);
  for (int64_t i = 0; i < size; ++i)
    values.push_back(convert(value_of(rank, i)));
  auto reduce = [&](int64_t group, const std::vector<Stored> &from, std::vector<Stored> &to) {
    const void *source = from.data();
    void *destination = to.data();
    tutti_all_reduce(context, 0, group, reduction, type, 1, &source, &destination, &size);
  };
  reduce(TUTTI_GROUP_WORLD, values, flat);
  reduce(node_group, values, stepwise);
  reduce(across_group, stepwise, stepwise);
  std::string problem = compare(flat, stepwise);
  return problem.empty() ? tutti_context_message(context) : problem;
}

} // namespace

TEST_P(NodeOrder, all_reduce_has_the_bits_of_two_steps) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              make_groups(context, rank);
              std::string all;
              for (int64_t size : {1, 7, 3000, 300000})
                all += check<float>(context, rank, TUTTI_F32, TUTTI_SUM, size,
                                    [](float value) { return value; });
              all += check<double>(context, rank, TUTTI_F64, TUTTI_PROD, 50,
                                   [](float value) { return double(value); });
              all += check<tutti::runtime::BFloat16>(
                  context, rank, TUTTI_BF16, TUTTI_SUM, 3000,
                  [](float value) { return tutti::runtime::BFloat16::store(value); });
              return all;
            }),
            "");
}

TEST_P(NodeOrder, the_mean_divides_the_whole_sum_once) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t ranks = tutti_context_size(context);
              int64_t size = 3000;
              std::vector<float> values, sums(size), means(size);
              for (int64_t i = 0; i < size; ++i)
                values.push_back(value_of(rank, i));
              const void *source = values.data();
              void *sum = sums.data(), *mean = means.data();
              tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, &source,
                               &sum, &size);
              tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_MEAN, TUTTI_F32, 1, &source,
                               &mean, &size);
              for (float &value : sums)
                value /= float(ranks);
              return compare(sums, means);
            }),
            "");
}

TEST_P(NodeOrder, reduce_scatter_gives_parts_of_the_same) {
  EXPECT_EQ(run([](tutti_context *context, int32_t rank) -> std::string {
              int32_t ranks = tutti_context_size(context);
              int64_t part = 1500, size = part * ranks;
              std::vector<float> values, all(size), own(part);
              for (int64_t i = 0; i < size; ++i)
                values.push_back(value_of(rank, i));
              const void *source = values.data();
              void *whole = all.data(), *mine = own.data();
              tutti_all_reduce(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, &source,
                               &whole, &size);
              tutti_reduce_scatter(context, 0, TUTTI_GROUP_WORLD, TUTTI_SUM, TUTTI_F32, 1, &source,
                                   &mine, &part);
              std::vector<float> wanted(all.begin() + rank * part, all.begin() + (rank + 1) * part);
              return compare(wanted, own);
            }),
            "");
}

INSTANTIATE_TEST_SUITE_P(Worlds, NodeOrder, testing::ValuesIn(node_worlds()), [](const auto &info) {
  return info.param.name + "_" + std::to_string(info.param.ranks);
});
