// Variables are added, and change their roles, in all functions at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/ProgramEdit.h"
#include "lib/program/plan/Buckets.h"
#include "test/lib/program/SmallProgram.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;
using train::VariableClass;
using tutti::test::SmallProgram;

namespace {

struct ProgramEditTest : SmallProgram {
  TypedAttr zeros(int64_t elements) {
    Builder builder(&context);
    return cast<TypedAttr>(
        builder.getZeroAttr(RankedTensorType::get({elements}, builder.getF32Type())));
  }

  std::vector<std::string> variablesOf(func::FuncOp function) {
    std::vector<std::string> names;
    for (VariableResult variable : getVariableResults(function))
      names.push_back(variable.role.getName().str());
    return names;
  }
};

using Names = std::vector<std::string>;

TEST_F(ProgramEditTest, addedVariablesStandAfterTheOthersInOrder) {
  ProgramEdit edit(program);
  for (const char *name : {"a", "b"}) {
    Value before = edit.addVariable(role(name, VariableClass::State), zeros(3), module->getLoc());
    edit.setNext(before, before);
  }
  SmallVector<BlockArgument> arguments = edit.apply();
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[0].getArgNumber(), 2u);
  EXPECT_EQ(arguments[1].getArgNumber(), 3u);
  EXPECT_EQ(variablesOf(program.initialize), (Names{"w", "w.momentum", "a", "b"}));
  EXPECT_EQ(variablesOf(program.step), (Names{"w", "w.momentum", "a", "b"}));
  EXPECT_TRUE(program.step.getArgAttr(4, train::TrainDialect::kInput));
  EXPECT_TRUE(program.step.getResultAttr(4, train::TrainDialect::kMetric));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ProgramEditTest, whatIsComputedFromAnAddedVariableTakesTheArgument) {
  ProgramEdit edit(program);
  Value before = edit.addVariable(role("sum", VariableClass::State), zeros(4), module->getLoc());
  OpBuilder atEnd(program.step.getBody().front().getTerminator());
  Value gradient = find<train::ScaleOp>().getResult();
  Value next = arith::AddFOp::create(atEnd, module->getLoc(), before, gradient);
  edit.setNext(before, next);
  BlockArgument argument = edit.apply().front();
  EXPECT_EQ(next.getDefiningOp()->getOperand(0), argument);
  EXPECT_EQ(findHeldVariable(argument).getName(), "sum");
  EXPECT_TRUE(program.step.getOps<UnrealizedConversionCastOp>().empty());
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ProgramEditTest, oneAddedVariableMayTakeWhatAnotherHeld) {
  ProgramEdit edit(program);
  Value newest = edit.addVariable(role("newest", VariableClass::State), zeros(4), module->getLoc());
  Value older = edit.addVariable(role("older", VariableClass::State), zeros(4), module->getLoc());
  edit.setNext(newest, find<train::ScaleOp>().getResult());
  edit.setNext(older, newest);
  SmallVector<BlockArgument> arguments = edit.apply();
  Operation *end = program.step.getBody().front().getTerminator();
  EXPECT_EQ(end->getOperand(3), arguments[0]);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ProgramEditTest, aCopiedVariableBeginsAsTheOther) {
  ProgramEdit edit(program);
  train::VariableAttr start = role("w.start", VariableClass::State);
  Value before = edit.copyVariable(role("w", VariableClass::Trainable), start, module->getLoc());
  ASSERT_TRUE(before);
  edit.setNext(before, before);
  BlockArgument argument = edit.apply().front();
  EXPECT_EQ(findHeldVariable(argument), start);
  Operation *end = program.initialize.getBody().front().getTerminator();
  EXPECT_EQ(end->getOperand(2), end->getOperand(0));
  EXPECT_EQ(getVariable(program.initialize, 2), start);
  EXPECT_EQ(program.step.getBody().front().getTerminator()->getOperand(2), argument);
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_FALSE(ProgramEdit(program).copyVariable(role("none", VariableClass::Other), start,
                                                 module->getLoc()));
}

TEST_F(ProgramEditTest, aMetricStandsAfterAllResults) {
  ProgramEdit edit(program);
  Value norm = edit.addVariable(role("a", VariableClass::State), zeros(3), module->getLoc());
  edit.setNext(norm, norm);
  edit.addMetric("limit", find<train::ScaleOp>().getFactor());
  edit.apply();
  unsigned last = program.step.getNumResults() - 1;
  EXPECT_EQ(last, 4u);
  EXPECT_EQ(program.step.getResultAttr(last, train::TrainDialect::kMetric),
            StringAttr::get(&context, "limit"));
  EXPECT_EQ(program.step.getBody().front().getTerminator()->getOperand(last),
            find<train::ScaleOp>().getFactor());
  EXPECT_EQ(variablesOf(program.step), (Names{"w", "w.momentum", "a"}));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ProgramEditTest, aRoleChangesInEveryFunction) {
  train::VariableAttr whole = role("w", VariableClass::Trainable);
  ProgramEdit edit(program);
  edit.setRole(whole, whole.getPerRank());
  edit.apply();
  auto evaluate = module->lookupSymbol<func::FuncOp>("evaluate");
  for (BlockArgument argument : {program.step.getArgument(0), evaluate.getArgument(0)})
    EXPECT_EQ(findHeldVariable(argument), whole.getPerRank());
  for (func::FuncOp function : {program.initialize, program.step})
    EXPECT_EQ(getVariable(function, 0), whole.getPerRank());
  EXPECT_TRUE(getVariable(program.step, 1).isReplicated());
  EXPECT_TRUE(evaluate.getResultAttr(0, train::TrainDialect::kOutput));
}

TEST_F(ProgramEditTest, nothingChangesWithoutEdits) {
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  EXPECT_TRUE(ProgramEdit(program).apply().empty());
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

TEST_F(ProgramEditTest, aStepCounterIsFoundOnceItIsThere) {
  EXPECT_FALSE(findStepCounter(program));
  Value steps = addStepCounter(program, "steps");
  EXPECT_EQ(findStepCounter(program), steps);
  EXPECT_EQ(variablesOf(program.step), (Names{"w", "w.momentum", "steps"}));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ProgramEditTest, aBucketKeepsTheMembersThatAreMarked) {
  auto lone = find<collective::AllReduceOp>();
  OpBuilder builder(lone);
  Value x = lone.getInputs().front(), w = program.step.getArgument(0);
  auto bucket = collective::AllReduceOp::create(builder, lone.getLoc(), lone.getReduction(),
                                                ValueRange{w, x, w}, lone.getGroupAttr());
  lone.getOutputs().front().replaceAllUsesWith(bucket.getOutputs()[1]);
  lone.erase();
  llvm::SmallBitVector kept(3);
  kept.set(1);
  collective::BucketOpInterface rest = keepMembers(bucket, kept);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest.getInputs().size(), 1u);
  EXPECT_EQ(rest.getInputs().front(), x);
  EXPECT_EQ(find<train::ScaleOp>().getInput(), rest.getOutputs().front());
  EXPECT_EQ(llvm::range_size(program.step.getOps<collective::AllReduceOp>()), 1u);
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ProgramEditTest, aBucketWithoutMembersGoes) {
  auto lone = find<collective::AllReduceOp>();
  lone.getOutputs().front().replaceAllUsesWith(lone.getInputs().front());
  EXPECT_FALSE(keepMembers(lone, llvm::SmallBitVector(1)));
  EXPECT_TRUE(program.step.getOps<collective::AllReduceOp>().empty());
}

TEST_F(ProgramEditTest, aBucketOfWhichAllIsKeptStays) {
  auto lone = find<collective::AllReduceOp>();
  EXPECT_EQ(keepMembers(lone, llvm::SmallBitVector(1, true)).getOperation(), lone.getOperation());
}

} // namespace
