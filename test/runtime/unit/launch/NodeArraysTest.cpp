// Ranks of a node share what one of them has inflated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/NodeArrays.h"
#include "runtime/support/MappedFile.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace tutti::runtime;
using namespace tutti::runtime::worker;
using Inherited = data::InflatedArrays::Inherited;

namespace {

class NodeArraysTest : public testing::Test {
protected:
  NodeArraysTest() {
    launched.launcher = testing::UnitTest::GetInstance()->current_test_info()->name();
    launched.run = text(getpid());
    launched.ranks = launched.local_ranks = 3;
  }

  NodeArrays rank() const { return NodeArrays(launched, {"x.npz"}, 60); }

  static std::string content(const SealedMemory &memory) {
    return std::string((*MappedFile::open(memory.path()))->bytes());
  }

  LaunchEnvironment launched;
};

} // namespace

TEST_F(NodeArraysTest, the_first_passes_what_it_has_to_all_others) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  SealedMemory x = std::move(*SealedMemory::of("x", "content of x"));
  SealedMemory y = std::move(*SealedMemory::of("y", "and y"));
  std::vector<Inherited> taken(2);
  std::vector<std::thread> others;
  for (Inherited &mine : taken)
    others.emplace_back([&] { mine = rank().take(); });
  first.give({{"x.npz", 0, x.descriptor()}, {"x.npz", 7, y.descriptor()}});
  for (std::thread &other : others)
    other.join();
  for (const Inherited &mine : taken) {
    ASSERT_EQ(mine.list.size(), 2u);
    EXPECT_EQ(mine.list[1].file, "x.npz");
    EXPECT_EQ(mine.list[1].entry, 7);
    EXPECT_EQ(mine.list[1].descriptor, mine.memory[1].descriptor());
    EXPECT_EQ(content(mine.memory[0]), "content of x");
    EXPECT_EQ(content(mine.memory[1]), "and y");
  }
}

TEST_F(NodeArraysTest, a_rank_is_by_itself_if_the_first_ends) {
  std::optional<NodeArrays> first = rank();
  EXPECT_TRUE(first->take().list.empty());
  Inherited taken;
  std::thread other([&] { taken = rank().take(); });
  usleep(20000); // it may ask before or after
  first.reset();
  other.join();
  EXPECT_TRUE(taken.list.empty());
}

TEST_F(NodeArraysTest, memory_that_can_be_changed_is_not_taken) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  SealedMemory open = std::move(*SealedMemory::make("x", 8));
  launched.local_ranks = 2;
  Inherited taken;
  std::thread other([&] { taken = rank().take(); });
  first.give({{"x.npz", 0, open.descriptor()}});
  other.join();
  EXPECT_TRUE(taken.list.empty());
}

TEST_F(NodeArraysTest, a_first_that_does_not_answer_is_not_waited_for_without_end) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  EXPECT_TRUE(NodeArrays(launched, {"x.npz"}, 0.05).take().list.empty());
}

TEST_F(NodeArraysTest, ranks_of_other_data_or_alone_share_nothing) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  NodeArrays other(launched, {"y.npz"}, 60);
  EXPECT_TRUE(other.take().list.empty());
  launched.local_ranks = 0; // the launcher does not tell
  NodeArrays alone = rank();
  EXPECT_TRUE(alone.take().list.empty());
  alone.give({});
}
