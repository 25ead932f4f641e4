// Rules of operations of StableHLO, of which no dialect is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/layout/FoundRules.h"

using namespace tutti;

namespace {

constexpr const char *kAdd = R"(({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %b = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }))";

class StablehloRules : public test::FoundRules {
protected:
  StablehloRules() { compiler.context().allowUnregisteredDialects(); }

  /// An operation on arguments %0, %1, ... of these types.
  static std::string spellOp(const std::string &kind, const std::vector<std::string> &operands,
                             const std::string &result, const std::string &attributes,
                             const std::string &region) {
    std::string values, types;
    for (size_t i = 0; i < operands.size(); ++i) {
      values += (i ? ", %" : "%") + std::to_string(i);
      types += (i ? ", tensor<" : "tensor<") + operands[i] + ">";
    }
    return "%r = \"stablehlo." + kind + "\"(" + values + ") <{" + attributes + "}> " + region +
           " : (" + types + ") -> tensor<" + result + ">";
  }
  static std::string spellArguments(const std::vector<std::string> &operands) {
    std::string text;
    for (size_t i = 0; i < operands.size(); ++i)
      text += (i ? ", %" : "%") + std::to_string(i) + ": tensor<" + operands[i] + ">";
    return text;
  }
  std::string ruleOf(const std::string &kind, const std::vector<std::string> &operands,
                     const std::string &result, const std::string &attributes = "",
                     const std::string &region = "") {
    return find(spellArguments(operands), spellOp(kind, operands, result, attributes, region));
  }
  std::string onRanks(const std::string &kind, const std::vector<std::string> &operands,
                      const std::string &result, const std::string &attributes,
                      llvm::ArrayRef<Layout> layouts, int64_t ranks = 2,
                      const std::string &region = "") {
    return transfer(spellArguments(operands), spellOp(kind, operands, result, attributes, region),
                    layouts, ranks);
  }
};

TEST_F(StablehloRules, Elementwise) {
  EXPECT_EQ(ruleOf("tanh", {"4x8xf32"}, "4x8xf32"), "d0 d1 -> d0 d1");
  EXPECT_EQ(ruleOf("add", {"4x8xf32", "4x8xf32"}, "4x8xf32"), "d0 d1, d0 d1 -> d0 d1 | 0 1");
  EXPECT_EQ(ruleOf("select", {"i1", "4x1xf32", "4x1xf32"}, "4x1xf32"),
            "(), d0 1, d0 1 -> d0 1 | 1 2");
  EXPECT_EQ(ruleOf("bitcast_convert", {"4xf32"}, "4x4xi8"), "d0 -> d0 d1^");
  EXPECT_EQ(ruleOf("convert", {"4xf32"}, "4xbf16"), "d0 -> d0");
  EXPECT_EQ(ruleOf("convert", {"4xbf16"}, "4xf32"), "d0 -> d0 | 0");
  EXPECT_EQ(ruleOf("custom_call", {"4xf32"}, "4xf32"), "none");
  EXPECT_EQ(ruleOf("custom_call", {"4xf32"}, "4xf32", "call_target_name = \"mhlo.erf\""),
            "d0 -> d0");
  EXPECT_EQ(ruleOf("custom_call", {"4x8xf32"}, "4x2xf32", "call_target_name = \"mhlo.topk\""),
            "d0 d1^ -> d0 d2^");
  EXPECT_EQ(ruleOf("batch_norm_inference", {"4x8xf32", "8xf32", "8xf32", "8xf32", "8xf32"},
                   "4x8xf32", "feature_index = 1 : i64"),
            "d0 d1, d1, d1, d1, d1 -> d0 d1");
  EXPECT_EQ(ruleOf("tanh", {"?xf32"}, "?xf32"), "none");
}

TEST_F(StablehloRules, Shapes) {
  EXPECT_EQ(ruleOf("reverse", {"4x8xf32"}, "4x8xf32", "dimensions = array<i64: 0>"),
            "d1^ d0 -> d2^ d0 | 0");
  EXPECT_EQ(ruleOf("reshape", {"4x8xf32"}, "32xf32"), "f0 f1 -> (f0 f1) | 0");
  EXPECT_EQ(ruleOf("transpose", {"4x8xf32"}, "8x4xf32", "permutation = array<i64: 1, 0>"),
            "d1 d0 -> d0 d1 | 0");
  EXPECT_EQ(
      ruleOf("broadcast_in_dim", {"4xf32"}, "4x8xf32", "broadcast_dimensions = array<i64: 0>"),
      "d0 -> d0 d1 | 0");
  EXPECT_EQ(ruleOf("concatenate", {"4x8xf32", "4x2xf32"}, "4x10xf32", "dimension = 1 : i64"),
            "d0 d1^, d0 d2^ -> d0 d3^ | 0 1");
  EXPECT_EQ(ruleOf("slice", {"4x8xf32"}, "4x3xf32",
                   "limit_indices = array<i64: 4, 3>, start_indices = array<i64: 0, 0>, strides = "
                   "array<i64: 1, 1>"),
            "d0 d1^ -> d0 d2^ | 0");
}

TEST_F(StablehloRules, Products) {
  EXPECT_EQ(ruleOf("dot_general", {"4x8xf32", "8x2xf32"}, "4x2xf32",
                   "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], "
                   "rhs_contracting_dimensions = [0]>"),
            "d1 d0+, d0 d2 -> d1 d2 | 0; 1");
  EXPECT_EQ(ruleOf("dot_general", {"4xf32", "8x4xf32"}, "f32", ""), "none");
  EXPECT_EQ(ruleOf("convolution", {"6x3x8xf32", "5x3x2xf32"}, "6x5x7xf32",
                   "dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>"),
            "d0 d1+ d3^, d2 d1 d4^ -> d0 d2 d5^ | 0; 1");
  EXPECT_EQ(ruleOf("dot", {"4x8xf32", "8xf32"}, "4xf32"), "d1 d0+, d0 -> d1 | 0; 1");
}

/// A group is a piece of the features, and of the samples where these are in groups.
TEST_F(StablehloRules, GroupedConvolutions) {
  std::string sides = "dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>";
  std::string features = sides + ", feature_group_count = 3 : i64";
  EXPECT_EQ(ruleOf("convolution", {"6x12x8xf32", "15x4x2xf32"}, "6x15x7xf32", features),
            "d1 (d0 d2+) d4^, (d0 d3) d2 d5^ -> d1 (d0 d3) d6^ | 0; 1");
  EXPECT_EQ(ruleOf("convolution", {"6x2x8xf32", "15x2x2xf32"}, "2x15x7xf32",
                   sides + ", batch_group_count = 3 : i64"),
            "(d0 d1) d2+ d4^, (d0 d3) d2 d5^ -> d1 (d0 d3) d6^ | 0; 1");
  EXPECT_EQ(ruleOf("convolution", {"6x12x8xf32", "15x2x2xf32"}, "6x15x7xf32", features), "none");
  EXPECT_EQ(ruleOf("convolution", {"6x12xf32", "15x4xf32"}, "6x15xf32",
                   "dimension_numbers = #stablehlo.conv<[0, 1, 2, b, f]x[o, i]->[b, f]>"),
            "none");
}

TEST_F(StablehloRules, Reductions) {
  EXPECT_EQ(ruleOf("reduce", {"4x8xf32", "f32"}, "8xf32", "dimensions = array<i64: 0>", kAdd),
            "d0+ d1, () -> d1 | 0 1");
  EXPECT_EQ(ruleOf("reduce_window", {"4x8xf32", "f32"}, "4x7xf32",
                   "window_dimensions = array<i64: 1, 2>", kAdd),
            "d0 d1^, () -> d0 d2^ | 0 1");
}

/// Of several tensors each pair is put together in the same way, or the factor is not split.
TEST_F(StablehloRules, ReductionsOfSeveral) {
  auto region = [](const std::string &first, const std::string &second) {
    std::string scalar = "tensor<f32>", both = "(tensor<f32>, tensor<f32>)";
    return "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>): %e = "
           "\"stablehlo." +
           first + "\"(%a, %c) : " + both + " -> " + scalar + " %f = \"stablehlo." + second +
           "\"(%b, %d) : " + both + " -> " + scalar + " \"stablehlo.return\"(%e, %f) : " + both +
           " -> () })";
  };
  auto ruleOfTwo = [&](const std::string &first, const std::string &second) {
    return find(spellArguments({"4x8xf32", "4x8xf32", "f32", "f32"}),
                "%r:2 = \"stablehlo.reduce\"(%0, %1, %2, %3) <{dimensions = array<i64: 0>}> " +
                    region(first, second) +
                    " : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> "
                    "(tensor<8xf32>, tensor<8xf32>)");
  };
  EXPECT_EQ(ruleOfTwo("add", "add"), "d0+ d1, d0 d1, (), () -> d1, d1 | 0 1 2 3");
  EXPECT_EQ(ruleOfTwo("maximum", "maximum"), "d0> d1, d0 d1, (), () -> d1, d1");
  EXPECT_EQ(ruleOfTwo("add", "maximum"), "d0^ d1, d0 d1, (), () -> d1, d1");
  EXPECT_EQ(ruleOf("reduce", {"4x8xf32", "f32"}, "8xf32", "dimensions = array<i64: 0>",
                   region("add", "add")),
            "d0^ d1, () -> d1"); // of two, and there is one
}

TEST_F(StablehloRules, Indices) {
  EXPECT_EQ(ruleOf("gather", {"10x6xf32", "4x1xi32"}, "4x6xf32",
                   "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims "
                   "= [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: "
                   "1, 6>"),
            "d2^ d1, d0 1 -> d0 d1 | 0");
  EXPECT_EQ(ruleOf("scatter", {"10x6xf32", "4x1xi32", "4x6xf32"}, "10x6xf32",
                   "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                   "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
                   "index_vector_dim = 1>",
                   kAdd),
            "d2^ d1, d0+ 1, d0 d1 -> d3^ d1 | 0 2");
}

/// Of ranks each has one block, and nothing that all have counts as a summand.
TEST_F(StablehloRules, Transfers) {
  Layout whole = Layout::replicate(), rows = Layout::shard(0), columns = Layout::shard(1),
         sum = Layout::partial(Reduction::Sum);
  EXPECT_EQ(onRanks("reshape", {"4x6xf32"}, "24xf32", "", {rows}), "Shard(0) -> Shard(0)");
  EXPECT_EQ(onRanks("reshape", {"24xf32"}, "4x6xf32", "", {rows}, 4), "Shard(0) -> Shard(0)");
  EXPECT_EQ(onRanks("reshape", {"24xf32"}, "4x6xf32", "", {rows}, 3), "Replicate -> Replicate");
  EXPECT_EQ(onRanks("reshape", {"4x6xf32"}, "24xf32", "", {columns}),
            "Shard(1) -> Shard(0)"); // of each of 4 ranges
  EXPECT_EQ(onRanks("add", {"4xf32", "4xf32"}, "4xf32", "", {rows, whole}),
            "Shard(0), Shard(0) -> Shard(0)");
  EXPECT_EQ(onRanks("add", {"4xf32", "4xf32"}, "4xf32", "", {sum, whole}),
            "Replicate, Replicate -> Replicate");
  EXPECT_EQ(onRanks("add", {"4xf32", "4xf32"}, "4xf32", "", {sum, sum}),
            "Partial(sum), Partial(sum) -> Partial(sum)");
  EXPECT_EQ(onRanks("convert", {"4xi32"}, "4xi32", "", {Layout::partial(Reduction::Max)}),
            "Replicate -> Replicate");
  EXPECT_EQ(onRanks("reduce", {"4x8xf32", "f32"}, "8xf32", "dimensions = array<i64: 0>",
                    {rows, whole}, 2, kAdd),
            "Replicate, Replicate -> Replicate");
}

} // namespace
