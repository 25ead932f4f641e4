// Which members of a reduction are narrowed, what is left of it, and what is kept for the next
// step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/communication/GradientCompression.h"
#include "test/lib/program/SmallProgram.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;
using tutti::test::SmallProgram;

namespace {

struct GradientCompressionTest : SmallProgram {
  WireFormat format(int64_t minBytes = 0, bool errorFeedback = false) {
    return {FloatType(Float16Type::get(&context)), minBytes, errorFeedback};
  }

  BucketOpInterface reduction() {
    return cast<BucketOpInterface>(find<AllReduceOp>().getOperation());
  }

  /// The gradient of w in a bucket with the old value of w, which no optimizer takes reduced.
  BucketOpInterface bucketOfTwo() {
    AllReduceOp one = find<AllReduceOp>();
    OpBuilder builder(one);
    Value w = program.step.getArgument(0);
    auto bucket = AllReduceOp::create(builder, one.getLoc(), ReductionKind::mean,
                                      ValueRange{one.getInputs().front(), w}, one.getGroupAttr());
    bucket->setAttr("collective.bucket", builder.getI64IntegerAttr(7));
    one.getOutputs().front().replaceAllUsesWith(bucket.getOutputs().front());
    one.erase();
    auto loss = cast<func::ReturnOp>(program.step.getBody().front().getTerminator());
    loss.setOperand(1, bucket.getOutputs()[1]);
    return cast<BucketOpInterface>(bucket.getOperation());
  }

  static Type elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }
};

TEST_F(GradientCompressionTest, aGradientIsNamedAndBecomesANarrowSum) {
  GradientCompression compression(*module, format());
  EXPECT_EQ(compression.whyKept(reduction(), 0).reason(), "");
  EXPECT_EQ(compression.describe(reduction(), 0), "gradient of \"w\"");
  ASSERT_TRUE(succeeded(compression.narrow(reduction(), llvm::SmallBitVector(1, true))));
  AllReduceOp sum = find<AllReduceOp>();
  EXPECT_EQ(sum.getReduction(), ReductionKind::sum);
  EXPECT_TRUE(elementOf(sum.getInputs().front()).isF16());
  EXPECT_TRUE(elementOf(find<arith::ExtFOp>().getOut()).isF32());
  EXPECT_EQ(find<arith::ExtFOp>().getIn(), sum.getOutputs().front());
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(GradientCompressionTest, onlySmallerTensorsThanTheLimitStay) {
  EXPECT_EQ(GradientCompression(*module, format(16)).whyKept(reduction(), 0).reason(), "");
  EXPECT_EQ(GradientCompression(*module, format(17)).whyKept(reduction(), 0).reason(),
            "its 16 bytes are fewer than min-bytes=17");
}

TEST_F(GradientCompressionTest, whatStaysKeepsItsReductionAndItsMarks) {
  BucketOpInterface bucket = bucketOfTwo();
  GradientCompression compression(*module, format());
  EXPECT_EQ(compression.whyKept(bucket, 0).reason(), "");
  EXPECT_EQ(compression.whyKept(bucket, 1).reason(), kNoGradient);
  EXPECT_EQ(compression.describe(bucket, 1), "all_reduce of tensor<4xf32>");
  llvm::SmallBitVector narrowed(2);
  narrowed.set(0);
  ASSERT_TRUE(succeeded(compression.narrow(bucket, narrowed)));
  SmallVector<AllReduceOp> reductions(program.step.getOps<AllReduceOp>());
  ASSERT_EQ(reductions.size(), 2u);
  EXPECT_EQ(reductions[0].getReduction(), ReductionKind::sum);
  EXPECT_EQ(reductions[1].getReduction(), ReductionKind::mean);
  EXPECT_TRUE(reductions[1]->hasAttr("collective.bucket"));
  EXPECT_EQ(reductions[1].getInputs().front(), program.step.getArgument(0));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(GradientCompressionTest, aMeanIsTakenBeforeTheSumOnceForABlock) {
  bucketOfTwo();
  OpBuilder builder(&context);
  GradientCompression compression(*module, format());
  ASSERT_TRUE(succeeded(compression.narrow(reduction(), llvm::SmallBitVector(2, true))));
  SmallVector<SizeOp> sizes(program.step.getOps<SizeOp>());
  EXPECT_EQ(sizes.size(), 1u);
  for (Value input : find<AllReduceOp>().getInputs()) {
    auto narrow = input.getDefiningOp<arith::TruncFOp>();
    ASSERT_TRUE(narrow);
    EXPECT_TRUE(narrow.getIn().getDefiningOp<train::ScaleOp>());
  }
}

TEST_F(GradientCompressionTest, whatIsLostIsAVariableOfEachRankOnceItIsFinished) {
  GradientCompression compression(*module, format(0, /*errorFeedback=*/true));
  ASSERT_TRUE(succeeded(compression.narrow(reduction(), llvm::SmallBitVector(1, true))));
  EXPECT_EQ(program::getVariableResults(program.step).size(), 2u);
  compression.finish();
  SmallVector<program::VariableResult> variables = program::getVariableResults(program.step);
  ASSERT_EQ(variables.size(), 3u);
  EXPECT_EQ(variables[2].role.getName(), "w.residual");
  EXPECT_EQ(variables[2].role.getPlacement(), train::VariablePlacement::PerRank);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(GradientCompressionTest, feedbackNeedsTheNumberOfRanks) {
  (*module->getOps<GroupOp>().begin()).removeSizeAttr();
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &diagnostic) {
    EXPECT_NE(diagnostic.str().find("needs the number of ranks"), std::string::npos);
    return success();
  });
  GradientCompression compression(*module, format(0, /*errorFeedback=*/true));
  EXPECT_TRUE(failed(compression.narrow(reduction(), llvm::SmallBitVector(1, true))));
}

} // namespace
