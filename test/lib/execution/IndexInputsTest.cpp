// Which inputs are used as indices, and what the manifest tells of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/IndexInputs.h"
#include "test/lib/execution/TextProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tutti::test;
using namespace tutti::execution;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// The bounds of argument 0 of a function with such arguments and such a body, in which locations
/// name nodes.
std::vector<IndexBounds> boundsIn(const std::string &arguments, const std::string &body) {
  Compiler compiler;
  auto module = compiler.parse("func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}");
  if (!module) {
    ADD_FAILURE() << compiler.diagnostics();
    return {};
  }
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  return findIndexBounds(function.getArgument(0));
}

const std::string kLoss = " : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4x10xf32>)";

} // namespace

TEST(IndexInputs, LabelsOfALoss) {
  EXPECT_THAT(boundsIn("%y: tensor<4xi64>, %s: tensor<4x10xf32>",
                       "%0:2 = onnx.SoftmaxCrossEntropyLoss %s, %y" + kLoss + " loc(\"loss\")"),
              ElementsAre(IndexBounds{0, 9, std::nullopt, "loss", true}));
}

TEST(IndexInputs, LabelsThatMayBeIgnored) {
  EXPECT_THAT(boundsIn("%y: tensor<4xi64>, %s: tensor<4x10xf32>",
                       "%0:2 = onnx.SoftmaxCrossEntropyLoss %s, %y {ignore_index = -1 : i64}" +
                           kLoss + " loc(\"loss\")"),
              ElementsAre(IndexBounds{0, 9, -1, "loss", true}));
}

TEST(IndexInputs, ScoresAreNoIndices) {
  EXPECT_THAT(boundsIn("%s: tensor<4x10xf32>, %y: tensor<4xi64>",
                       "%0:2 = onnx.SoftmaxCrossEntropyLoss %s, %y" + kLoss),
              IsEmpty());
}

TEST(IndexInputs, IndicesOfALookupCountFromEitherEnd) {
  EXPECT_THAT(boundsIn("%i: tensor<4x3xi64>, %t: tensor<5x8xf32>",
                       "%0 = onnx.Gather %t, %i {axis = 1 : i64} : (tensor<5x8xf32>, "
                       "tensor<4x3xi64>) -> tensor<5x4x3xf32> loc(\"lookup\")"),
              ElementsAre(IndexBounds{-8, 7, std::nullopt, "lookup", false}));
  EXPECT_THAT(boundsIn("%t: tensor<5x8xi64>, %i: tensor<3xi64>",
                       "%0 = onnx.Gather %t, %i : (tensor<5x8xi64>, tensor<3xi64>) -> "
                       "tensor<3x8xi64>"),
              IsEmpty());
}

TEST(IndexInputs, AfterWhatOnlyMovesThem) {
  EXPECT_THAT(
      boundsIn("%i: tensor<4x1xi32>, %s: tensor<4x10xf32>, %t: tensor<7x2xf32>",
               "%0 = onnx.Squeeze %i {axes = array<i64: 1>} : (tensor<4x1xi32>) -> tensor<4xi32>\n"
               "%1 = onnx.Cast %0 {to = i64} : (tensor<4xi32>) -> tensor<4xi64>\n"
               "%2:2 = onnx.SoftmaxCrossEntropyLoss %s, %1" +
                   kLoss +
                   " loc(\"loss\")\n"
                   "%3 = onnx.Gather %t, %1 : (tensor<7x2xf32>, tensor<4xi64>) -> tensor<4x2xf32> "
                   "loc(\"lookup\")"),
      testing::UnorderedElementsAre(IndexBounds{0, 9, std::nullopt, "loss", true},
                                    IndexBounds{-7, 6, std::nullopt, "lookup", false}));
}

TEST(IndexInputs, NotAfterArithmetic) {
  EXPECT_THAT(boundsIn("%y: tensor<4xi64>, %s: tensor<4x10xf32>",
                       "%0 = onnx.Neg %y : (tensor<4xi64>) -> tensor<4xi64>\n"
                       "%1:2 = onnx.SoftmaxCrossEntropyLoss %s, %0" +
                           kLoss),
              IsEmpty());
}

// A column may hold what the table of another column has no entry for.
TEST(IndexInputs, NotAfterWhatPassesOnlySomeOfThem) {
  EXPECT_THAT(boundsIn("%i: tensor<4x2xi64>, %t: tensor<5x3xf32>",
                       "%c = arith.constant dense<1> : tensor<i64>\n"
                       "%0 = onnx.Gather %i, %c {axis = 1 : i64} : (tensor<4x2xi64>, tensor<i64>) "
                       "-> tensor<4xi64>\n"
                       "%1 = onnx.Gather %t, %0 : (tensor<5x3xf32>, tensor<4xi64>) -> "
                       "tensor<4x3xf32>"),
              IsEmpty());
}

TEST(IndexInputs, EachNodeOnce) {
  std::string use = " = onnx.SoftmaxCrossEntropyLoss %s, %y" + kLoss + " loc(\"loss\")\n";
  EXPECT_EQ(boundsIn("%y: tensor<4xi64>, %s: tensor<4x10xf32>", "%0:2" + use + "%1:2" + use).size(),
            1u);
}

TEST(IndexInputs, OfUnknownExtentHaveNoBounds) {
  EXPECT_THAT(boundsIn("%i: tensor<4xi64>, %t: tensor<?x2xf32>",
                       "%0 = onnx.Gather %t, %i : (tensor<?x2xf32>, tensor<4xi64>) -> "
                       "tensor<4x2xf32>"),
              IsEmpty());
}
