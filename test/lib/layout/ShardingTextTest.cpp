// Lines of rules: what they say of tensors of different ranks, and what cannot be read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/interfaces/sharding/ShardingRule.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;

namespace {

constexpr int64_t kUnknown = ShapedType::kDynamic;

class ShardingTextTest : public testing::Test {
protected:
  Type tensor(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, Builder(&context).getF32Type());
  }
  /// The rule as it is spelled for these shapes; "none" if there is none.
  std::string expand(StringRef text, std::vector<std::vector<int64_t>> operands,
                     std::vector<std::vector<int64_t>> results, const ShardingCounts &counts = {}) {
    SmallVector<Type> operandTypes, resultTypes;
    for (const auto &shape : operands)
      operandTypes.push_back(tensor(shape));
    for (const auto &shape : results)
      resultTypes.push_back(tensor(shape));
    FailureOr<ShardingRule> rule = parseShardingRule(text, operandTypes, resultTypes, counts);
    return succeeded(rule) ? spellShardingRule(*rule) : "none";
  }

  MLIRContext context;
};

TEST_F(ShardingTextTest, BatchDimensionsAreAlignedAtTheLast) {
  const char *product = "b.. m k+, b.. k+ n -> b.. m n";
  EXPECT_EQ(expand(product, {{4, 8}, {8, 5}}, {{4, 5}}), "m k+, k n -> m n");
  EXPECT_EQ(expand(product, {{2, 3, 4, 8}, {3, 8, 5}}, {{2, 3, 4, 5}}),
            "b0 b1 m k+, b1 k n -> b0 b1 m n");
}

TEST_F(ShardingTextTest, DimensionsOfSizeOneHaveNoFactor) {
  EXPECT_EQ(expand("a.., a.. -> a..", {{kUnknown, 8}, {1, 8}}, {{kUnknown, 8}}),
            "a0 a1, 1 a1 -> a0 a1");
  EXPECT_EQ(expand("a.., a.. -> a..", {{1, 8}, {8}}, {{1, 8}}), "1 a1, a1 -> 1 a1");
  EXPECT_EQ(expand("a.. -> a..", {{}}, {{}}), "() -> ()");
}

TEST_F(ShardingTextTest, CountsTellRepeatedDimensionsApart) {
  ShardingCounts counts;
  counts.dimensions = {{"p", 1}, {"q", 1}};
  EXPECT_EQ(expand("p.. v? q.., i.. -> p.. i.. q..", {{2, 9, 3}, {4, 5}}, {{2, 4, 5, 3}}, counts),
            "p0 v? q0, i0 i1 -> p0 i0 i1 q0");
  EXPECT_EQ(expand("p.. v? q.., i.. -> p.. i.. q..", {{2, 9, 3}, {4, 5}}, {{2, 4, 5, 3}}), "none");
}

TEST_F(ShardingTextTest, OneTensorOfALineStandsForSeveral) {
  ShardingCounts counts;
  counts.operands = {3, 0};
  counts.results = {1};
  EXPECT_EQ(expand("a.., c -> a..", {{2}, {3, 2}, {}}, {{3, 2}}, counts), "a1, a0 a1, () -> a0 a1");
}

TEST_F(ShardingTextTest, MeansDivideWhereTheyReduceAndGradientsWhereTheySpread) {
  FailureOr<ShardingRule> mean = parseShardingRule("k/ -> ()", tensor({6}), tensor({}));
  FailureOr<ShardingRule> gradient = parseShardingRule("() -> k/", tensor({}), tensor({6}));
  ASSERT_TRUE(succeeded(mean) && succeeded(gradient));
  EXPECT_TRUE(mean->factors[0].divides && gradient->factors[0].divides);
  EXPECT_EQ(mean->factors[0].kind, FactorKind::Sum);
  EXPECT_EQ(gradient->factors[0].kind, FactorKind::Pass);
  EXPECT_EQ(mean->factors[0].size, 6);
}

TEST_F(ShardingTextTest, SeveralFactorsOfOneDimension) {
  EXPECT_EQ(expand("n (g c+), (g o) c -> n (g o)", {{2, 6}, {9, 2}}, {{2, 9}}),
            "n (g c+), (g o) c -> n (g o)");
}

TEST_F(ShardingTextTest, WhatCannotBeReadOrDoesNotFitIsNoRule) {
  for (const char *text :
       {"m k+ k n -> m n", "m k+, k n", "m (k, k n -> m n", "m 2, k n -> m n", "m k+, k> n -> m n",
        ", k n -> m n", "m k+, k n -> m n n", "m k+ -> m n"})
    EXPECT_EQ(expand(text, {{4, 8}, {8, 5}}, {{4, 5}}), "none") << text;
  EXPECT_EQ(expand("b.. m k, k -> m", {{4}, {4}}, {{4}}), "none");
  Type unranked = UnrankedTensorType::get(Builder(&context).getF32Type());
  EXPECT_TRUE(failed(parseShardingRule("a.. -> a..", unranked, tensor({}))));
}

TEST_F(ShardingTextTest, RulesAreEqualWhateverFactorsAreCalled) {
  auto rule = [&](StringRef text) {
    return *parseShardingRule(text, {tensor({4, 8}), tensor({8, 5})}, tensor({4, 5}));
  };
  EXPECT_TRUE(rule("m k+, k n -> m n") == rule("a b+, b c -> a c"));
  EXPECT_FALSE(rule("m k+, k n -> m n") == rule("m k^, k n -> m n"));
  EXPECT_FALSE(rule("m k+, k n -> m n") == rule("m k+, k n -> n m"));
}

} // namespace
