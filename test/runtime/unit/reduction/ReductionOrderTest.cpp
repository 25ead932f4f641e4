// Reduction by nodes: first within each, then across them; in rank order where nothing else is
// asked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/engine/reduction/ReductionOrder.h"

#include "runtime/engine/core/Context.h"
#include "runtime/support/HalfPrecision.h"
#include "tutti/types.h"

#include <gtest/gtest.h>

using namespace tutti::runtime;

namespace {

/// A context of four ranks whose nodes alternate, and the communicator of all of them.
struct FourRanks {
  explicit FourRanks(int32_t order) {
    context.size = communicator.size = 4;
    context.reduction_order = order;
    context.node_of_rank = {0, 1, 0, 1};
    communicator.world_ranks = {0, 1, 2, 3};
    communicator.scratch = &context.scratch;
  }

  template <typename T>
  std::vector<T> reduce(int32_t type, int32_t reduction, const std::vector<std::vector<T>> &given) {
    std::vector<const void *> sources;
    for (const std::vector<T> &values : given)
      sources.push_back(values.data());
    std::vector<T> result(given[0].size());
    ReductionOrder(context, communicator)
        .reduce(type, reduction, sources.data(), result.data(), int64_t(result.size()));
    return result;
  }

  tutti_context context;
  Communicator communicator;
};

} // namespace

TEST(ReductionOrder, adds_the_ranks_of_each_node_and_then_the_nodes) {
  std::vector<std::vector<float>> given = {{1e8f}, {3.0f}, {-1e8f}, {1.25f}};
  FourRanks by_node(TUTTI_ORDER_NODES), by_rank(TUTTI_ORDER_RANKS);
  EXPECT_EQ(by_node.reduce(TUTTI_F32, TUTTI_SUM, given)[0], (1e8f + -1e8f) + (3.0f + 1.25f));
  EXPECT_EQ(by_rank.reduce(TUTTI_F32, TUTTI_SUM, given)[0], ((1e8f + 3.0f) + -1e8f) + 1.25f);
  EXPECT_EQ(by_node.reduce(TUTTI_F32, TUTTI_MEAN, given)[0], 4.25f / 4);
}

TEST(ReductionOrder, does_so_for_every_element_of_long_buffers) {
  std::vector<std::vector<float>> given(4, std::vector<float>(5000));
  for (int rank = 0; rank < 4; ++rank)
    for (int i = 0; i < 5000; ++i)
      given[rank][i] = (rank == 1 ? 1e6f : 0.1f) * float(i + 1) / float(rank + 3);
  FourRanks by_node(TUTTI_ORDER_NODES);
  std::vector<float> sums = by_node.reduce(TUTTI_F32, TUTTI_SUM, given);
  std::vector<float> means = by_node.reduce(TUTTI_F32, TUTTI_MEAN, given);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(sums[i], (given[0][i] + given[2][i]) + (given[1][i] + given[3][i])) << i;
    ASSERT_EQ(means[i], sums[i] / 4.0f) << i;
  }
}

TEST(ReductionOrder, rounds_what_a_node_contributes_to_the_element_type) {
  auto half = [](float value) { return BFloat16::store(value); };
  // 256 + 1 is 256 in bf16; across nodes 1 + 1 is kept only if the nodes' sums are rounded first.
  FourRanks by_node(TUTTI_ORDER_NODES);
  std::vector<std::vector<BFloat16>> given = {{half(256)}, {half(1)}, {half(1)}, {half(0)}};
  EXPECT_EQ(by_node.reduce(TUTTI_BF16, TUTTI_SUM, given)[0].load(), 256.0f);
}

TEST(ReductionOrder, other_reductions_go_the_same_way) {
  FourRanks by_node(TUTTI_ORDER_NODES);
  std::vector<std::vector<double>> given = {{0.1}, {1e200}, {3e150}, {1e-200}};
  EXPECT_EQ(by_node.reduce(TUTTI_F64, TUTTI_PROD, given)[0], (0.1 * 3e150) * (1e200 * 1e-200));
  EXPECT_EQ(by_node.reduce(TUTTI_F64, TUTTI_MAX, given)[0], 1e200);
}

TEST(ReductionOrder, a_group_within_one_node_is_reduced_in_rank_order) {
  FourRanks ranks(TUTTI_ORDER_NODES);
  EXPECT_TRUE(ReductionOrder(ranks.context, ranks.communicator).spans_nodes());
  Communicator within;
  within.world_ranks = {0, 2};
  within.size = 2;
  EXPECT_FALSE(ReductionOrder(ranks.context, within).spans_nodes());
}
