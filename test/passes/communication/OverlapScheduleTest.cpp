// Every order that a schedule makes is one that its program allows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/communication/OverlapSchedule.h"

#include "gtest/gtest.h"

#include <random>

using namespace tutti::communication;

namespace {

/// A block of nobody's.
struct Program {
  ScheduleGraph graph;
  std::vector<Chain> chains;
  std::vector<int> chainOf; ///< by node; -1: it is no collective
};

class ProgramMaker {
public:
  explicit ProgramMaker(unsigned seed) : random(seed) {}

  /// `length` operations: collectives, what computes, what has effects, and fences; some of the
  /// collectives gather late, some scatter.
  Program make(unsigned length) {
    std::optional<unsigned> lastLate;
    for (unsigned node = 0; node < length; ++node) {
      unsigned kind = pick(20);
      if (kind < 6)
        addCollective(/*isLate=*/kind < 3, /*isSoonDone=*/kind == 3, lastLate);
      else
        addOperation(/*isFence=*/kind == 6, /*hasEffects=*/kind <= 8);
    }
    addOperation(/*isFence=*/false, /*hasEffects=*/true); // the terminator
    program.graph.connect();
    return std::move(program);
  }

private:
  unsigned pick(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random);
  }

  /// Mostly of what is near, as layers use each other.
  ScheduleGraph::Node makeNode() {
    ScheduleGraph::Node node;
    for (unsigned need = size() == 0 ? 0 : pick(4); need > 0; --need)
      node.needs.push_back(pick(3) == 0 ? pick(size()) : size() - 1 - pick(std::min(size(), 5u)));
    return node;
  }

  void add(ScheduleGraph::Node node, int chain) {
    program.graph.nodes.push_back(std::move(node));
    program.chainOf.push_back(chain);
  }

  void addOperation(bool isFence, bool hasEffects) {
    ScheduleGraph::Node node = makeNode();
    node.isFence = isFence;
    node.keepsOrder = hasEffects;
    node.isPlain = !hasEffects;
    add(std::move(node), -1);
  }

  void addCollective(bool isLate, bool isSoonDone, std::optional<unsigned> &lastLate) {
    ScheduleGraph::Node node = makeNode();
    node.isLate = isLate;
    node.isSoonDone = isSoonDone;
    if (isLate && lastLate)
      node.needs.push_back(*lastLate);
    if (isLate)
      lastLate = size();
    program.chains.push_back({size()});
    add(std::move(node), int(program.chains.size()) - 1);
  }

  unsigned size() const { return program.graph.nodes.size(); }

  std::mt19937 random;
  Program program;
};

/// When each node and chain begins and is complete, by place in the order; -1: never.
struct Places {
  Places(const Program &program, llvm::ArrayRef<Moment> moments)
      : operation(program.graph.nodes.size(), -1), start(program.chains.size(), -1), await(start) {
    for (auto [place, moment] : llvm::enumerate(moments)) {
      int &found = moment.kind == Moment::Operation ? operation[moment.node]
                   : moment.kind == Moment::Start   ? start[moment.chain]
                                                    : await[moment.chain];
      EXPECT_EQ(found, -1) << "stands there twice";
      found = int(place);
    }
  }
  std::vector<int> operation, start, await;
};

void expectInOrder(const Program &program, const Places &places) {
  unsigned end = program.graph.nodes.size() - 1;
  int lastEffect = -1, lastFence = -1;
  std::vector<int> sinceFence; // chains
  for (unsigned node = 0; node < end; ++node) {
    int chain = program.chainOf[node];
    int begin = chain < 0 ? places.operation[node] : places.start[chain];
    ASSERT_NE(begin, -1) << "node " << node << " is nowhere";
    for (unsigned need : program.graph.nodes[node].needs) {
      int needed = program.chainOf[need];
      int complete = needed < 0 ? places.operation[need] : places.await[needed];
      EXPECT_LT(complete, begin) << "node " << node << " before what it needs, " << need;
      EXPECT_NE(complete, -1) << "node " << need << " is never complete";
    }
    if (chain >= 0) {
      EXPECT_GT(begin, lastFence);
      sinceFence.push_back(chain);
    }
    if (program.graph.nodes[node].keepsOrder) {
      EXPECT_GT(begin, lastEffect) << "node " << node << " passes another one with effects";
      lastEffect = begin;
    }
    if (program.graph.nodes[node].isFence) {
      for (int before : sinceFence)
        EXPECT_TRUE(places.await[before] != -1 && places.await[before] < begin);
      sinceFence.clear();
      lastFence = begin;
    }
  }
}

TEST(OverlapSchedule, keepsAllThatAProgramAsksFor) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Program program = ProgramMaker(seed).make(5 + seed % 60);
    Places places(program, schedule(program.graph, program.chains));
    expectInOrder(program, places);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

} // namespace
