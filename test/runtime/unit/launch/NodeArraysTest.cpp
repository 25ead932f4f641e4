// Ranks of a node share what one of them has inflated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/host/launch/NodeArrays.h"
#include "runtime/support/system/MappedFile.h"
#include "test/runtime/TemporaryFolder.h"

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
    launched.ranks = 3; // and nobody says where
  }

  NodeArrays rank(double timeout = 60) const { return NodeArrays(launched, {file}, timeout); }
  /// As the process does that `first` becomes.
  static data::ArrayDoor door_of(const NodeArrays &first, std::vector<data::InflatedArray> arrays) {
    return data::ArrayDoor(LocalSocket::adopt(dup(first.descriptor())), std::move(arrays));
  }
  static std::string content(const SealedMemory &memory) {
    return std::string((*MappedFile::open(memory.path()))->bytes());
  }

  TemporaryFolder folder;
  std::string file = folder.write("x.npz", "content");
  LaunchEnvironment launched;
};

} // namespace

TEST_F(NodeArraysTest, the_first_passes_what_it_has_to_all_others) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  ASSERT_GE(first.descriptor(), 0);
  SealedMemory x = std::move(*SealedMemory::of("x", "content of x"));
  SealedMemory y = std::move(*SealedMemory::of("y", "and y"));
  std::vector<Inherited> taken(2);
  std::vector<std::thread> others;
  auto ask = [&](Inherited &mine) {
    NodeArrays other = rank();
    mine = other.take();
    EXPECT_EQ(other.descriptor(), -1);
  };
  others.emplace_back([&] { ask(taken[0]); });
  usleep(20000); // it asks before there is an answer
  data::ArrayDoor door = door_of(first, {{file, 0, x.descriptor()}, {file, 7, y.descriptor()}});
  usleep(20000);
  others.emplace_back([&] { ask(taken[1]); }); // and this one when the first has gone on
  for (std::thread &other : others)
    other.join();
  for (const Inherited &mine : taken) {
    ASSERT_EQ(mine.list.size(), 2u);
    EXPECT_EQ(mine.list[1].file, file);
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

TEST_F(NodeArraysTest, whoever_comes_when_all_have_met_is_a_first) {
  SealedMemory x = std::move(*SealedMemory::of("x", "content of x"));
  {
    NodeArrays first = rank();
    EXPECT_TRUE(first.take().list.empty());
    data::ArrayDoor door = door_of(first, {{file, 0, x.descriptor()}});
  }
  NodeArrays later = rank();
  EXPECT_TRUE(later.take().list.empty());
  EXPECT_GE(later.descriptor(), 0);
}

TEST_F(NodeArraysTest, memory_that_can_be_changed_is_not_taken) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  SealedMemory open = std::move(*SealedMemory::make("x", 8));
  data::ArrayDoor door = door_of(first, {{file, 0, open.descriptor()}});
  EXPECT_TRUE(rank().take().list.empty());
}

TEST_F(NodeArraysTest, a_first_that_does_not_answer_is_not_waited_for_without_end) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  EXPECT_TRUE(rank(0.05).take().list.empty());
}

TEST_F(NodeArraysTest, ranks_of_other_data_or_alone_share_nothing) {
  NodeArrays first = rank();
  EXPECT_TRUE(first.take().list.empty());
  NodeArrays other(launched, {folder.write("y.npz", "content")}, 60);
  EXPECT_TRUE(other.take().list.empty());
  EXPECT_GE(other.descriptor(), 0);
  folder.write("x.npz", "other content"); // by the same path
  NodeArrays newer = rank();
  EXPECT_TRUE(newer.take().list.empty());
  EXPECT_GE(newer.descriptor(), 0);
  launched.ranks = 1;
  NodeArrays alone = rank();
  EXPECT_TRUE(alone.take().list.empty());
  EXPECT_EQ(alone.descriptor(), -1);
}
