// Times of collectives, worked out from the steps and bytes of the runtime's algorithms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/cost/CommunicationCost.h"
#include "test/lib/cost/SmallCluster.h"

#include "dialects/collective/Collective.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tutti::cost;
using tutti::test::smallCluster;

namespace {

constexpr GroupShape kNode{4, 1, 1}, kWorld{4, 2, 1}, kAcross{1, 2, 4}, kAlone{1, 1, 1};

double secondsOfCall(const char *operation, int64_t bytes, GroupShape shape) {
  return timeOf(operation, bytes, shape, smallCluster()).seconds;
}

constexpr const char *kOperations[] = {"all_reduce", "reduce_scatter", "all_gather",
                                       "broadcast",  "reduce",         "gather",
                                       "scatter",    "all_to_all",     "barrier"};

TEST(CommunicationCost, OneRankPaysNothing) {
  for (const char *operation : kOperations)
    EXPECT_EQ(secondsOfCall(operation, 1 << 20, kAlone), 0) << operation;
}

TEST(CommunicationCost, InMemory) {
  // Two meetings of a microsecond; a rank touches twice the bucket.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_reduce", 1'000'000, kNode), 2e-6 + 2e-3);
  // A flat one: one meeting, all of 4 ranks read and the result written.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_reduce", 1000, kNode), 1e-6 + 5e-6);
  // What is written elsewhere is fetched before.
  EXPECT_DOUBLE_EQ(secondsOfCall("reduce_scatter", 1'000'000, kNode), 2e-6 + 1.5e-3);
  EXPECT_DOUBLE_EQ(secondsOfCall("all_gather", 250'000, kNode), 2e-6 + 3e-3);
  EXPECT_DOUBLE_EQ(secondsOfCall("barrier", 0, kNode), 1e-6);
}

TEST(CommunicationCost, WhatCachesDoNotHoldTakesLonger) {
  Cluster cluster = smallCluster();
  cluster.node.farBandwidth = 5e8;
  auto seconds = [&](int64_t mib) {
    return timeOf("all_reduce", mib << 20, kNode, cluster).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(4), secondsOfCall("all_reduce", 4 << 20, kNode));
  // Of 32 MiB that a rank touches, 8 are near.
  EXPECT_DOUBLE_EQ(seconds(16), 2e-6 + (8 << 20) * 1e-9 + (24 << 20) * 2e-9);
}

TEST(CommunicationCost, OverTheNetwork) {
  // 2 exchanges; each of 4 ranks of a node sends half of its bucket away, twice.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_reduce", 1'000'000, kWorld), 2e-3 + 4.0);
  EXPECT_DOUBLE_EQ(secondsOfCall("reduce_scatter", 1'000'000, kWorld), 1e-3 + 2.0);
  // 4 ranks give their parts to 4 others.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_gather", 1'000'000, kWorld), 1e-3 + 16.0);
  // 3 steps of a tree, the last of them from node to node by 4 ranks at once.
  EXPECT_DOUBLE_EQ(secondsOfCall("broadcast", 1'000'000, kWorld), 3e-3 + 4.0);
  EXPECT_DOUBLE_EQ(secondsOfCall("barrier", 0, kWorld), 3e-3);
  // 4 sets of 2 ranks share what leaves the node.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_reduce", 250'000, kAcross), 2e-3 + 1.0);
}

TEST(CommunicationCost, LargeBucketsGoInPieces) {
  double megabytes16 = secondsOfCall("all_reduce", 16 << 20, kAcross);
  EXPECT_DOUBLE_EQ(megabytes16, 4e-3 + 4.0 * (16 << 20) / 1e6);
}

TEST(CommunicationCost, OfManyRanksIsThatOfTheWayTheyTake) {
  constexpr GroupShape kMany{4, 16, 1};
  constexpr double mebibyte = 1 << 20;
  // A chain of 64 ranks and 64 chunks: 189 steps. The row comes to a node and leaves it, both ways,
  // after as many bytes have passed before all have something to do.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_reduce", 16 << 20, kMany),
                   189e-3 + 32 * mebibyte / 1e6 + 32 * mebibyte / 1e6);
  // A tree: 12 steps, and the rows of 60 ranks come to the node of the first.
  EXPECT_DOUBLE_EQ(secondsOfCall("all_reduce", 1000, kMany), 12e-3 + 60e-3);
}

TEST(CommunicationCost, HierarchyBeatsFlatBetweenNodes) {
  constexpr int64_t bytes = 1'000'000;
  double hierarchical = secondsOfCall("reduce_scatter", bytes, kNode) +
                        secondsOfCall("all_reduce", bytes / 4, kAcross) +
                        secondsOfCall("all_gather", bytes / 4, kNode);
  EXPECT_LT(hierarchical, secondsOfCall("all_reduce", bytes, kWorld) / 3);
}

TEST(CommunicationCost, GrowsWithBytesAndNodes) {
  for (const char *operation : kOperations) {
    double last = 0;
    for (int64_t bytes : {1 << 13, 1 << 16, 1 << 20, 1 << 26}) {
      double now = secondsOfCall(operation, bytes, kWorld);
      EXPECT_GE(now, last) << operation << " of " << bytes;
      last = now;
    }
    last = 0;
    for (int64_t nodes : {2, 4, 64, 4096}) {
      double now = secondsOfCall(operation, 1 << 20, {4, nodes, 1});
      EXPECT_GE(now, last) << operation << " on " << nodes;
      last = now;
    }
  }
}

TEST(CommunicationCost, ProcessorsAreSharedByTheRanksOfANode) {
  Cluster cluster = smallCluster();
  cluster.network->overhead = 1e-3;
  cluster.network->processor = 1e-6;
  CommunicationTime roomy = timeOf("all_reduce", 1000, kWorld, cluster);
  // 2 steps of 7 messages; 2 * 1000 * 7 / 8 bytes.
  EXPECT_DOUBLE_EQ(roomy.processor, 14e-3 + 1.75e-3);
  EXPECT_DOUBLE_EQ(roomy.seconds, 2e-3 + 14e-3 + 4e-3);
  cluster.coresPerNode = 2;
  CommunicationTime crowded = timeOf("all_reduce", 1000, kWorld, cluster);
  EXPECT_DOUBLE_EQ(crowded.processor, roomy.processor);
  EXPECT_DOUBLE_EQ(crowded.seconds, 2e-3 + 28e-3 + 4e-3);
}

class Shapes : public testing::Test {
protected:
  Shapes() {
    context.loadDialect<tutti::collective::CollectiveDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      collective.group @world {size = 8 : i64}
      collective.group @node members(#collective.per_node)
      collective.group @cross members(#collective.across_nodes)
      collective.group @blocks members(#collective.blocks<4>)
      collective.group @columns members(#collective.strided<4>)
      collective.group @pairs members(#collective.blocks<2>))",
                                                     &context);
  }
  void expect(const char *name, GroupShape expected) {
    GroupShape shape = shapeOfGroup(*module, name, smallCluster(), 8);
    EXPECT_EQ(shape.perNode, expected.perNode) << name;
    EXPECT_EQ(shape.nodes, expected.nodes) << name;
    EXPECT_EQ(shape.setsPerNode, expected.setsPerNode) << name;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(Shapes, FollowTheNodes) {
  ASSERT_TRUE(module);
  expect("world", {4, 2, 1});
  expect("node", {4, 1, 1});
  expect("blocks", {4, 1, 1});
  expect("cross", {1, 2, 4});
  expect("columns", {1, 2, 4});
  expect("pairs", {2, 1, 2});
}

TEST_F(Shapes, OneNodeIsNotFilled) {
  GroupShape shape = shapeOfWorld(smallCluster(), 3);
  EXPECT_EQ(shape.perNode, 3);
  EXPECT_EQ(shape.nodes, 1);
}

TEST_F(Shapes, WaysFollowTheSizeOfTheGroup) {
  std::vector<tutti::program::PlanEntry> plan(5);
  for (auto &entry : plan) {
    entry.operation = "all_reduce";
    entry.wire = "f32";
    entry.elements = {1 << 21, 1};
    entry.bytes = (8 << 20) + 4;
    entry.group = "world";
  }
  plan[1].group = "blocks";
  plan[2].group = "node"; // depends on the nodes
  plan[3].bytes = tutti::program::PlanEntry::unknown;
  plan[4].operation = "all_gather";
  nameWays(plan, *module, 64);
  std::vector<std::string> ways;
  for (const auto &entry : plan)
    ways.push_back(entry.way);
  EXPECT_EQ(ways, (std::vector<std::string>{"chain", "slices", "", "", ""}));
  tutti::cost::Cluster cluster = smallCluster(); // blocks are on a node, which has memory
  plan[0].way = plan[1].way = "";
  nameWays(plan, *module, 64, &cluster);
  EXPECT_EQ(plan[0].way, "chain");
  EXPECT_EQ(plan[1].way, "");
}

TEST_F(Shapes, EntriesWithoutBytesAreNotPredicted) {
  std::vector<tutti::program::PlanEntry> plan(2);
  plan[0].operation = plan[1].operation = "all_reduce";
  plan[0].group = plan[1].group = "node";
  plan[0].bytes = 1'000'000;
  plan[1].bytes = tutti::program::PlanEntry::unknown;
  predictPlan(plan, *module, smallCluster(), 8);
  EXPECT_DOUBLE_EQ(*plan[0].predicted_seconds, 2e-6 + 2e-3);
  EXPECT_FALSE(plan[1].predicted_seconds);
}

} // namespace
