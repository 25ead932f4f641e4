// From @forward to @step: loss, gradient, optimizer; and to @evaluate: loss and accuracy of each
// sample.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/StepBuilder.h"

#include "passes/gradient/Evaluation.h"
#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/LossOfGraph.h"
#include "passes/gradient/RecipeOptimizer.h"

#include "lib/analysis/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;
using train::VariableClass;
using Result = ForwardFunction::Result;

static constexpr StringLiteral stepName = "step";

namespace {

class StepBuilder {
public:
  StepBuilder(ModuleOp program, const Recipe &recipe, ForwardFunction forward,
              func::FuncOp initialize)
      : program(program), recipe(recipe), optimizer(recipe), forward(forward),
        initialize(initialize), context(program.getContext()),
        modelVariables(forward.countVariables()) {
    for (unsigned index = 0; index < modelVariables; ++index)
      names.insert(forward.variable(index).getName());
  }

  LogicalResult freeze(ArrayRef<std::string> names);
  LogicalResult build();

private:
  LogicalResult freezeVariable(StringRef name);
  InFlightDiagnostic errorAboutUnknown(StringRef name);
  LogicalResult planStates();
  LogicalResult addState(StringRef name, Type type, VariableClass kind);
  void addInitialStates();
  void addStateArguments(ForwardFunction step);
  RecipeOptimizer::Schedule addSchedule(ForwardFunction step, OpBuilder &builder);
  LogicalResult updateVariables(ForwardFunction step, Value loss,
                                SmallVectorImpl<Value> &newValues);
  LogicalResult buildStepFunction();
  LogicalResult buildEvaluateFunction();

  train::VariableAttr variableAttribute(StringRef name, VariableClass kind) {
    return train::VariableAttr::get(context, name, kind);
  }
  Location locationOf(StringRef name) {
    return NameLoc::get(StringAttr::get(context, name), forward.op().getLoc());
  }

  struct State {
    train::VariableAttr attribute;
    Type type;
  };

  ModuleOp program;
  const Recipe &recipe;
  RecipeOptimizer optimizer;
  ForwardFunction forward;
  func::FuncOp initialize;
  MLIRContext *context;
  unsigned modelVariables;       ///< how many the model has itself
  llvm::StringSet<> names;       ///< of these variables
  SmallVector<unsigned> trained; ///< indices of the variables that the optimizer moves
  SmallVector<State>
      states; ///< new variables: states of the trained ones, in order, then the step counter
};

} // namespace

/// Names that are at most a third of their length away, or at least share their beginning.
InFlightDiagnostic StepBuilder::errorAboutUnknown(StringRef name) {
  InFlightDiagnostic error = forward.op().emitError("recipe: freeze: there is no variable '")
                             << name << "'";
  SmallVector<StringRef> close;
  for (unsigned index = 0; index < modelVariables; ++index) {
    StringRef candidate = forward.variable(index).getName();
    if (candidate.edit_distance(name) <= std::max<size_t>(1, name.size() / 3) ||
        candidate.starts_with(name))
      close.push_back(candidate);
  }
  if (!close.empty())
    error << "; did you mean " << llvm::join(ArrayRef<StringRef>(close).take_front(5), ", ") << "?";
  return error;
}

LogicalResult StepBuilder::freezeVariable(StringRef name) {
  for (unsigned index = 0; index < modelVariables; ++index) {
    train::VariableAttr variable = forward.variable(index);
    if (variable.getName() != name)
      continue;
    if (variable.getVariableClass() != VariableClass::Trainable)
      return forward.op().emitError("recipe: freeze: variable '")
             << name << "' is not trainable, or named twice";
    auto frozen = variableAttribute(name, VariableClass::Other);
    forward.op().setArgAttr(index, TrainDialect::kVariable, frozen);
    initialize.setResultAttr(index, TrainDialect::kVariable, frozen);
    return success();
  }
  return errorAboutUnknown(name);
}

LogicalResult StepBuilder::freeze(ArrayRef<std::string> names) {
  for (const std::string &name : names)
    if (failed(freezeVariable(name)))
      return failure();
  for (unsigned index = 0; index < modelVariables; ++index)
    if (forward.variable(index).getVariableClass() == VariableClass::Trainable)
      trained.push_back(index);
  if (trained.empty())
    return forward.op().emitError(
        "recipe: no variable of @forward is trainable; parameters are float initializers that are "
        "neither folded into constants nor frozen");
  return success();
}

LogicalResult StepBuilder::addState(StringRef name, Type type, VariableClass kind) {
  if (names.contains(name))
    return forward.op().emitError("recipe: the model has a variable '")
           << name << "' already, which is the name of a variable that the optimizer needs";
  states.push_back({variableAttribute(name, kind), type});
  return success();
}

LogicalResult StepBuilder::planStates() {
  for (unsigned index : trained)
    for (StringRef state : optimizer.stateNames())
      if (failed(addState((forward.variable(index).getName() + "." + state).str(),
                          forward.op().getArgumentTypes()[index], VariableClass::State)))
        return failure();
  if (!optimizer.needsStep())
    return success();
  return addState(stepName, RankedTensorType::get({}, IntegerType::get(context, 64)),
                  VariableClass::Other);
}

void StepBuilder::addInitialStates() {
  ForwardFunction function(initialize);
  OpBuilder builder(function.returned());
  SmallVector<Result> results = function.results();
  for (const State &state : states) {
    auto zero = cast<TypedAttr>(builder.getZeroAttr(state.type));
    Value value = arith::ConstantOp::create(builder, locationOf(state.attribute.getName()), zero);
    results.push_back({value, TrainDialect::kVariable, state.attribute});
  }
  function.setResults(results);
}

void StepBuilder::addStateArguments(ForwardFunction step) {
  SmallVector<ForwardFunction::Argument> arguments;
  for (const State &state : states)
    arguments.push_back({state.type, TrainDialect::kVariable, state.attribute,
                         locationOf(state.attribute.getName())});
  step.insertArguments(modelVariables, arguments);
}

RecipeOptimizer::Schedule StepBuilder::addSchedule(ForwardFunction step, OpBuilder &builder) {
  RecipeOptimizer::Schedule schedule;
  auto rate = train::HyperparameterAttr::get(context, "learning_rate",
                                             builder.getF64FloatAttr(recipe.learningRate));
  schedule.learningRate =
      step.addArgument({RankedTensorType::get({}, builder.getF32Type()),
                        TrainDialect::kHyperparameter, rate, locationOf("learning_rate")});
  if (!optimizer.needsStep())
    return schedule;
  Location location = locationOf(stepName);
  schedule.step = step.op().getArgument(modelVariables + states.size() - 1);
  auto one = DenseElementsAttr::get(cast<RankedTensorType>(schedule.step.getType()), int64_t(1));
  schedule.nextStep = arith::AddIOp::create(builder, location, schedule.step,
                                            arith::ConstantOp::create(builder, location, one));
  return schedule;
}

LogicalResult StepBuilder::updateVariables(ForwardFunction step, Value loss,
                                           SmallVectorImpl<Value> &newValues) {
  OpBuilder builder(step.returned());
  RecipeOptimizer::Schedule schedule = addSchedule(step, builder);
  SmallVector<Value> variables(
      llvm::map_range(trained, [&](unsigned index) { return step.op().getArgument(index); }));
  auto gradient = train::GradientOp::create(builder, loss.getLoc(), loss, variables);
  unsigned perVariable = optimizer.stateNames().size(), nextState = modelVariables;
  for (auto [index, variable, slope] :
       llvm::zip_equal(trained, variables, gradient.getGradients())) {
    ValueRange taken = step.op().getArguments().slice(nextState, perVariable);
    Operation *update = optimizer.update(builder, locationOf(step.variable(index).getName()),
                                         variable, slope, taken, schedule);
    newValues[index] = update->getResult(0);
    for (unsigned state = 0; state < perVariable; ++state)
      newValues[nextState++] = update->getResult(1 + state);
  }
  if (schedule.nextStep)
    newValues[nextState] = schedule.nextStep;
  return success();
}

LogicalResult StepBuilder::buildStepFunction() {
  ForwardFunction step = forward.cloneAs("step");
  addStateArguments(step);
  unsigned count = modelVariables + states.size();
  SmallVector<Value> newValues(step.op().getArguments());
  setTrainingMode(step.op(), newValues);
  FailureOr<LossOfGraph> loss = LossOfGraph::add(step, recipe.loss);
  if (failed(loss) || failed(updateVariables(step, loss->value, newValues)))
    return failure();
  SmallVector<Result> results;
  for (unsigned index = 0; index < count; ++index)
    results.push_back({newValues[index], TrainDialect::kVariable, step.variable(index)});
  results.push_back({loss->value, TrainDialect::kMetric, StringAttr::get(context, "loss")});
  results.append(loss->otherResults);
  step.setResults(results);
  return success();
}

LogicalResult StepBuilder::buildEvaluateFunction() {
  ForwardFunction evaluate = forward.cloneAs("evaluate");
  setInferenceMode(evaluate.op());
  FailureOr<LossOfGraph> loss = LossOfGraph::add(evaluate, recipe.loss);
  if (failed(loss))
    return failure();
  Evaluation evaluation = addEvaluation(evaluate, *loss);
  if (!evaluation.obstacle.empty()) {
    remark::missed(loss->value.getLoc(), remarkBy("train-apply-recipe", forward.op()))
        << "there is no @evaluate: " << evaluation.obstacle;
    evaluate.op().erase();
    return success();
  }
  evaluate.setResults(evaluation.results);
  if (Operation *whole = loss->value.getDefiningOp(); whole && isOpTriviallyDead(whole))
    whole->erase();
  return success();
}

LogicalResult StepBuilder::build() {
  if (failed(planStates()))
    return failure();
  // Clones stand right behind @forward: the last one made comes first.
  if (failed(buildEvaluateFunction()) || failed(buildStepFunction()))
    return failure();
  addInitialStates();
  forward.op().erase();
  return success();
}

LogicalResult tutti::gradient::buildStep(ModuleOp program, const Recipe &recipe) {
  auto forward = program.lookupSymbol<func::FuncOp>("forward");
  auto initialize = program.lookupSymbol<func::FuncOp>("initialize");
  if (!forward || !initialize)
    return program.emitError("recipe: the program must have @forward and @initialize, or @step");
  ForwardFunction function(forward);
  if (failed(function.check(initialize)))
    return failure();
  StepBuilder builder(program, recipe, function, initialize);
  return failure(failed(builder.freeze(recipe.frozen)) || failed(builder.build()));
}
