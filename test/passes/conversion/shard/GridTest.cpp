// Which ranks meet along which axes of a grid, and which axes a set of ranks lies along.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/conversion/shard/Grid.h"

#include "dialects/collective/Collective.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/Sequence.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;
using conversion::Grid;
using testing::ElementsAre;

namespace {

using Ranks = SmallVector<int64_t>;
using Axes = SmallVector<shard::GridAxis>;

std::vector<std::vector<int64_t>> plain(const Grid::Sets &sets) {
  std::vector<std::vector<int64_t>> result;
  for (const Ranks &set : sets)
    result.emplace_back(set.begin(), set.end());
  return result;
}

struct GridTest : testing::Test {
  GridTest() { context.loadDialect<collective::CollectiveDialect>(); }

  /// How the members of the sets along `axes` are written.
  std::string members(const Grid &grid, Axes axes) {
    auto found = conversion::getMembers(&context, grid.getSets(axes), grid.getSize());
    if (!found)
      return "the world";
    std::string text;
    llvm::raw_string_ostream(text) << Attribute(found);
    return text;
  }

  MLIRContext context;
  Grid grid{ArrayRef<int64_t>{2, 3, 4}};
};

TEST_F(GridTest, TheLastAxisRunsFastest) {
  EXPECT_EQ(grid.getSize(), 24);
  EXPECT_EQ(grid.getStride(0), 12);
  EXPECT_EQ(grid.getStride(1), 4);
  EXPECT_EQ(grid.getStride(2), 1);
}

TEST_F(GridTest, AGridWithoutAxesIsOneProcess) {
  Grid point((ArrayRef<int64_t>()));
  EXPECT_EQ(point.getSize(), 1);
  EXPECT_THAT(plain(point.getSets({})), ElementsAre(ElementsAre(0)));
}

TEST_F(GridTest, SizesAlongAxes) {
  EXPECT_EQ(grid.getSize(Axes{}), 1);
  EXPECT_EQ(grid.getSize(Axes{1}), 3);
  EXPECT_EQ(grid.getSize(Axes{0, 2}), 8);
}

TEST_F(GridTest, SetsAlongOneAxis) {
  Grid small(ArrayRef<int64_t>{2, 3});
  EXPECT_THAT(plain(small.getSets(Axes{1})),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
  EXPECT_THAT(plain(small.getSets(Axes{0})),
              ElementsAre(ElementsAre(0, 3), ElementsAre(1, 4), ElementsAre(2, 5)));
}

TEST_F(GridTest, TheOrderOfAxesIsTheOrderInASet) {
  Grid small(ArrayRef<int64_t>{2, 3});
  EXPECT_THAT(plain(small.getSets(Axes{0, 1})), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5)));
  EXPECT_THAT(plain(small.getSets(Axes{1, 0})), ElementsAre(ElementsAre(0, 3, 1, 4, 2, 5)));
}

TEST_F(GridTest, AlongNoAxisEveryoneIsAlone) {
  EXPECT_EQ(grid.getSets(Axes{}).size(), 24U);
  for (auto [rank, set] : llvm::enumerate(grid.getSets(Axes{})))
    EXPECT_THAT(set, ElementsAre(static_cast<int64_t>(rank)));
}

TEST_F(GridTest, EverySetIsAPartition) {
  for (const Axes &axes : {Axes{}, Axes{0}, Axes{2}, Axes{1, 2}, Axes{2, 0}, Axes{0, 1, 2}}) {
    std::vector<int64_t> all;
    for (const Ranks &set : grid.getSets(axes)) {
      EXPECT_EQ(static_cast<int64_t>(set.size()), grid.getSize(axes));
      all.insert(all.end(), set.begin(), set.end());
    }
    llvm::sort(all);
    EXPECT_TRUE(llvm::equal(all, llvm::seq<int64_t>(0, 24)));
  }
}

TEST_F(GridTest, AxesAreFoundAgain) {
  for (const Axes &axes :
       {Axes{}, Axes{0}, Axes{1}, Axes{2}, Axes{0, 1}, Axes{1, 0}, Axes{2, 0, 1}, Axes{0, 1, 2}}) {
    std::optional<Axes> found = grid.findAxes(grid.getSets(axes));
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, axes);
  }
}

TEST_F(GridTest, SetsThatLieAlongNoAxesAreNotFound) {
  Grid line(ArrayRef<int64_t>{4});
  EXPECT_EQ(line.findAxes({{0, 1}, {2, 3}}), std::nullopt);
  EXPECT_EQ(line.findAxes({{1, 0, 2, 3}}), std::nullopt) << "the order counts";
  EXPECT_EQ(Grid(ArrayRef<int64_t>{2, 2}).findAxes({{0, 3}, {1, 2}}), std::nullopt) << "a diagonal";
}

TEST_F(GridTest, AxesOfLengthOneChangeNothing) {
  Grid flat(ArrayRef<int64_t>{1, 4, 1});
  EXPECT_EQ(flat.getSets(Axes{0, 1}), flat.getSets(Axes{1}));
  std::optional<Axes> found = flat.findAxes({{0, 1, 2, 3}});
  ASSERT_TRUE(found);
  EXPECT_EQ(flat.getSize(*found), 4);
}

TEST_F(GridTest, LinearizesAlongTheGivenAxes) {
  EXPECT_EQ(grid.linearize({1, 2, 3}, Axes{0, 1, 2}), 23);
  EXPECT_EQ(grid.linearize({3, 1}, Axes{2, 0}), 7);
  EXPECT_EQ(grid.linearize({}, Axes{}), 0);
}

TEST_F(GridTest, LinearIndicesAreRanksOfTheSet) {
  Ranks set = grid.getSets(Axes{2, 0}).front();
  EXPECT_EQ(set[grid.linearize({3, 1}, Axes{2, 0})], 3 * grid.getStride(2) + grid.getStride(0));
}

TEST_F(GridTest, MembersAreWrittenAsShortAsTheyCanBe) {
  EXPECT_EQ(members(grid, {0, 1, 2}), "the world");
  EXPECT_EQ(members(grid, {2}), "#collective.blocks<4>");
  EXPECT_EQ(members(grid, {1, 2}), "#collective.blocks<12>");
  EXPECT_EQ(members(grid, {0}), "#collective.strided<12>");
  EXPECT_EQ(members(grid, {0, 1}), "#collective.strided<4>");
  EXPECT_THAT(members(Grid(ArrayRef<int64_t>{2, 2, 2}), {1}),
              testing::StartsWith("#collective.ranks<"));
  EXPECT_THAT(members(Grid(ArrayRef<int64_t>{2, 2}), {1, 0}), testing::HasSubstr("0, 2, 1, 3"));
}

} // namespace
