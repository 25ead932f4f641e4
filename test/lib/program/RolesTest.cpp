// Roles are written on a step that has none, and taken away again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/Roles.h"
#include "lib/program/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

namespace {

constexpr char kPlain[] = R"(
func.func private @data()
func.func @initialize() -> (tensor<4xf32>, tensor<2xf32>) {
  %w = arith.constant dense<1.0> : tensor<4xf32>
  %m = arith.constant dense<0.0> : tensor<2xf32>
  return %w, %m : tensor<4xf32>, tensor<2xf32>
}
func.func @step(%w: tensor<4xf32> {other.mark}, %m: tensor<2xf32>, %x: tensor<?x4xf32>, %lr: tensor<f32>)
    -> (tensor<4xf32>, tensor<2xf32>, tensor<f32>) {
  return %w, %m, %lr : tensor<4xf32>, tensor<2xf32>, tensor<f32>
}
)";

struct RolesTest : ::testing::Test {
  void SetUp() override {
    // As an embedder may: it has not heard of the train dialect.
    context.loadDialect<func::FuncDialect, arith::ArithDialect>();
    context.allowUnregisteredDialects();
    module = parse(kPlain);
    ASSERT_TRUE(module);
    roles.variables = {"w"};
    roles.states = {"m"};
    roles.inputs = {"x"};
    roles.hyperparameters = {{"rate", 0.5}};
    roles.metrics = {"loss"};
    roles.globalBatch = 8;
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  std::string text() {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    module->print(stream);
    return printed;
  }

  /// What annotateStep says of the module, which stays as it is.
  std::string refusal() {
    std::string said, before = text();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &error) { said = error.str(); });
    EXPECT_TRUE(failed(annotateStep(*module, roles)));
    EXPECT_EQ(text(), before);
    return said;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  StepRoles roles;
};

TEST_F(RolesTest, anAnnotatedStepIsATrainingProgram) {
  ASSERT_TRUE(succeeded(annotateStep(*module, roles)));
  EXPECT_TRUE(succeeded(verify(*module)));
  FailureOr<Program> program = Program::find(*module);
  ASSERT_TRUE(succeeded(program));
  SmallVector<VariableResult> variables = getVariableResults(program->step);
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].role.getName(), "w");
  EXPECT_EQ(variables[0].role.getVariableClass(), train::VariableClass::Trainable);
  EXPECT_EQ(variables[1].role.getVariableClass(), train::VariableClass::State);
  EXPECT_EQ(findHeldVariable(program->step.getArgument(1)), variables[1].role);
  EXPECT_EQ(getVariable(program->initialize, 1), variables[1].role);
  auto input = program->step.getArgAttrOfType<train::InputAttr>(2, train::TrainDialect::kInput);
  ASSERT_TRUE(input);
  // @data was taken.
  auto dataset = module->lookupSymbol<train::DatasetOp>(input.getDataset());
  ASSERT_TRUE(dataset);
  EXPECT_EQ(dataset.getGlobalBatch(), 8u);
  auto rate = program->step.getArgAttrOfType<train::HyperparameterAttr>(
      3, train::TrainDialect::kHyperparameter);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate.getName(), "rate");
  EXPECT_TRUE(program->step.getResultAttr(2, train::TrainDialect::kMetric));
}

TEST_F(RolesTest, erasedRolesLeaveTheStepAsItWas) {
  std::string before = text();
  ASSERT_TRUE(succeeded(annotateStep(*module, roles)));
  getOrCreateWorld(*module);
  eraseRoles(*module);
  EXPECT_EQ(text(), before);
}

TEST_F(RolesTest, whatDoesNotFitIsSaid) {
  roles.inputs = {"x", "y"};
  EXPECT_EQ(refusal(), "@step has 4 arguments, but there are 5 variables, states, inputs and "
                       "hyperparameters");
  roles.inputs = {"x"};
  roles.metrics.clear();
  EXPECT_EQ(refusal(), "@step has 3 results, but there are 2 variables, states and metrics");
  roles.states.clear();
  EXPECT_EQ(refusal(), "@initialize has 2 results, but there are 1 variables and states");
}

TEST_F(RolesTest, aStepIsNeeded) {
  module->lookupSymbol("step")->erase();
  EXPECT_EQ(refusal(), "has no func.func @step to give roles to");
}

TEST_F(RolesTest, rolesAreWrittenOnce) {
  ASSERT_TRUE(succeeded(annotateStep(*module, roles)));
  EXPECT_EQ(refusal(), "has roles already: it is a training program");
}

} // namespace
