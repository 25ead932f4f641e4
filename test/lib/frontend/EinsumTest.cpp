// Einsum as it is imported: which products and sums an equation becomes, and which are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/frontend/ImportFixture.h"

#include "llvm/ADT/StringRef.h"

using namespace tutti::frontend;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

struct EinsumTest : ImportFixture {
  std::string import(const std::string &equation, std::vector<std::string> types) {
    errors.clear();
    std::string inputs, names;
    for (size_t i = 0; i < types.size(); ++i) {
      std::string name(1, static_cast<char>('p' + i)), comma = i ? ", " : "";
      inputs += comma + types[i] + " " + name;
      names += comma + name;
    }
    return importText(parseGraph("g (" + inputs + ") => (float[A,B] y) {y = Einsum<equation = \"" +
                                     equation + "\">(" + names + ")}",
                                 17));
  }

  /// The names of the operations, and the type of the last one's result.
  std::vector<std::string> operations(const std::string &equation, std::vector<std::string> types) {
    std::string text = import(equation, types);
    std::vector<std::string> found;
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n');
    for (llvm::StringRef line : lines) {
      auto [before, after] = line.split(" = onnx.");
      if (after.empty() || after.starts_with("Constant"))
        continue;
      found.push_back(after.take_while([](char c) { return c != ' '; }).str());
      result = line.rsplit("-> ").second.str();
    }
    return found;
  }

  std::string result;
};

TEST_F(EinsumTest, WhatExportersWriteForAttention) {
  EXPECT_THAT(operations("bhid,bhjd->bhij", {"float[N,2,3,4]", "float[N,2,5,4]"}),
              ElementsAre("Transpose", "MatMul"));
  EXPECT_EQ(result, "tensor<?x2x3x5xf32>");
  EXPECT_THAT(operations("bhij,bhjd->bhid", {"float[N,2,3,5]", "float[N,2,5,4]"}),
              ElementsAre("MatMul"));
  EXPECT_THAT(operations("bij,bjk->bik", {"float[N,3,4]", "float[N,4,5]"}), ElementsAre("MatMul"));
  EXPECT_THAT(operations("...ij,...jk->...ik", {"float[N,2,3,4]", "float[4,5]"}),
              ElementsAre("MatMul"));
  EXPECT_EQ(result, "tensor<?x2x3x5xf32>");
}

TEST_F(EinsumTest, ProjectionsOfHeads) {
  EXPECT_THAT(operations("bsi,ihd->bhsd", {"float[N,3,8]", "float[8,2,4]"}),
              ElementsAre("Reshape", "MatMul", "Reshape", "Transpose"));
  EXPECT_EQ(result, "tensor<?x2x3x4xf32>");
  EXPECT_THAT(operations("bshd,hdo->bso", {"float[N,M,2,4]", "float[2,4,8]"}),
              ElementsAre("Reshape", "Reshape", "MatMul"))
      << "two sizes that vary are copied";
  EXPECT_EQ(result, "tensor<?x?x8xf32>");
  EXPECT_THAT(operations("oi,bti->bto", {"float[8,4]", "float[N,3,4]"}),
              ElementsAre("Transpose", "MatMul"));
}

TEST_F(EinsumTest, OneOperand) {
  EXPECT_THAT(operations("ij->ji", {"float[N,3]"}), ElementsAre("Transpose"));
  EXPECT_THAT(operations("...i->...", {"float[N,3,4]"}), ElementsAre("ReduceSum"));
  EXPECT_EQ(result, "tensor<?x3xf32>");
  EXPECT_THAT(operations("...ii->...i", {"float[N,3,3]"}),
              ElementsAre("Equal", "Where", "ReduceSum"));
  EXPECT_EQ(result, "tensor<?x3xf32>");
  EXPECT_THAT(operations("ba", {"float[N,3]"}), ElementsAre("Transpose")) << "by the alphabet";
}

TEST_F(EinsumTest, ProductsWithoutMatrices) {
  EXPECT_THAT(operations("i,j->ij", {"float[N]", "float[3]"}), ElementsAre("Unsqueeze", "Mul"));
  EXPECT_THAT(operations("bi,bi->b", {"float[N,3]", "float[N,3]"}),
              ElementsAre("Mul", "ReduceSum"));
  EXPECT_THAT(operations("bi,i->b", {"float[N,3]", "float[3]"}),
              ElementsAre("Reshape", "MatMul", "Reshape"));
  EXPECT_EQ(result, "tensor<?xf32>");
}

TEST_F(EinsumTest, ASizeOfOneIsRepeated) {
  EXPECT_THAT(operations("bij,bjk->bik", {"float[1,3,4]", "float[N,4,5]"}),
              ElementsAre("Squeeze", "Transpose", "Transpose", "MatMul", "Transpose"));
  EXPECT_EQ(result, "tensor<?x3x5xf32>");
}

TEST_F(EinsumTest, MoreThanTwoOperandsFromTheLeft) {
  EXPECT_THAT(operations("bi,ij,jk->bk", {"float[N,3]", "float[3,4]", "float[4,5]"}),
              ElementsAre("MatMul", "MatMul"));
  EXPECT_EQ(result, "tensor<?x5xf32>");
}

TEST_F(EinsumTest, WhatIsRefused) {
  EXPECT_THAT(import("ij,jk->ik", {"float[N,3]", "float[4,5]"}),
              HasSubstr("its dimensions 'j' have sizes 3 and 4"));
  EXPECT_THAT(import("ij->ij", {"float[N,3,4]"}),
              HasSubstr("its equation 'ij->ij' has the term 'ij' for an operand of rank 3"));
  EXPECT_THAT(import("ij->ik", {"float[N,3]"}), HasSubstr("has 'k' in its result only"));
  EXPECT_THAT(import("ij->ii", {"float[N,3]"}), HasSubstr("has 'i' in its result twice"));
  EXPECT_THAT(import("ij,jk", {"float[N,3]"}), HasSubstr("names 2 operands, but there are 1"));
  EXPECT_THAT(import("i1->i", {"float[N,3]"}),
              HasSubstr("has the term 'i1', which is not made of letters and one '...'"));
  EXPECT_THAT(import("ii->i", {"float[N,M]"}), HasSubstr("they must have one size that is known"));
  EXPECT_THAT(import("ij->i", {"int64[N,3]"}), HasSubstr("floats can be compiled, so cast it"));
}

} // namespace
