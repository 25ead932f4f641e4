// What is known of a training program: where its variables are, and what updates them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/GradientChain.h"
#include "lib/program/ValueNames.h"
#include "test/lib/program/SmallProgram.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using train::VariableClass;
using tutti::test::SmallProgram;

namespace {

using ProgramViewTest = SmallProgram;

TEST_F(ProgramViewTest, variablesHaveAnArgumentAndAResult) {
  VariablePlaces places(program.step);
  train::VariableAttr momentum = role("w.momentum", VariableClass::State);
  EXPECT_EQ(places.getArgument(momentum), program.step.getArgument(1));
  EXPECT_EQ(places.getResult(momentum), std::optional<unsigned>(1));
}

TEST_F(ProgramViewTest, whatIsNoVariableHasNoPlace) {
  VariablePlaces places(program.initialize);
  EXPECT_FALSE(places.getArgument(role("w", VariableClass::Trainable)));
  EXPECT_EQ(places.getResult(role("v", VariableClass::Trainable)), std::nullopt);
}

TEST_F(ProgramViewTest, onlyArgumentsHoldVariables) {
  EXPECT_EQ(findHeldVariable(program.step.getArgument(0)).getName(), "w");
  EXPECT_FALSE(findHeldVariable(program.step.getArgument(2))); // an input
  EXPECT_FALSE(findHeldVariable(find<train::ScaleOp>().getResult()));
}

TEST_F(ProgramViewTest, anOptimizerUpdatesTheVariableOfWhichItHasAPart) {
  auto optimizer = cast<OptimizerOpInterface>(find<train::MomentumOp>().getOperation());
  EXPECT_EQ(findUpdatedVariable(optimizer), role("w", VariableClass::Trainable));
  OpBuilder builder(optimizer);
  auto half = RankedTensorType::get({2}, builder.getF32Type());
  OpFoldResult zero = builder.getIndexAttr(0), two = builder.getIndexAttr(2),
               one = builder.getIndexAttr(1);
  Value part = tensor::ExtractSliceOp::create(builder, optimizer.getLoc(), half,
                                              optimizer.getVariable(), zero, two, one);
  optimizer->setOperand(0, part);
  EXPECT_EQ(findUpdatedVariable(optimizer), role("w", VariableClass::Trainable));
  optimizer->setOperand(0, find<train::ScaleOp>().getFactor());
  EXPECT_FALSE(findUpdatedVariable(optimizer));
}

TEST_F(ProgramViewTest, aReducedGradientIsThatOfAVariable) {
  auto reduction = find<collective::AllReduceOp>();
  auto gradients = findReducedGradients(*module);
  ASSERT_EQ(gradients.size(), 1u);
  EXPECT_EQ(gradients[reduction.getOutputs().front()].name, "w");
  EXPECT_EQ(nameOfValue(reduction.getOutputs().front(), reduction.getLoc()), "w");
}

TEST_F(ProgramViewTest, aModuleWithoutAStepIsNoProgram) {
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  program.step.erase();
  EXPECT_TRUE(failed(Program::find(*module)));
  EXPECT_EQ(said, "the training program has no function @step");
}

} // namespace
