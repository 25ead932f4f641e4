// From @forward to @step: loss, gradient, optimizer; and to @evaluate: loss and accuracy of each
// sample.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/gradient/StepBuilder.h"

#include "dialects/interfaces/Lookup.h"
#include "dialects/onnx/Onnx.h"
#include "lib/options/NameGlobs.h"
#include "passes/gradient/Evaluation.h"
#include "passes/gradient/ForwardFunction.h"
#include "passes/gradient/LossOfGraph.h"
#include "passes/gradient/PaddingRows.h"
#include "passes/gradient/ProbabilitiesAsScores.h"
#include "passes/gradient/recipe/RateSchedule.h"
#include "passes/gradient/recipe/RecipeOptimizer.h"
#include "passes/gradient/recipe/TrainedVariables.h"

#include "lib/analysis/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::gradient;
using train::TrainDialect;
using train::VariableClass;
using Result = ForwardFunction::Result;

static constexpr StringLiteral stepName = "step", rateName = "learning_rate";

namespace {

class StepBuilder {
public:
  StepBuilder(const Recipe &recipe, ForwardFunction forward, func::FuncOp initialize)
      : recipe(recipe), optimizer(recipe), forward(forward), initialize(initialize),
        context(initialize.getContext()), modelVariables(forward.countVariables()) {
    for (unsigned index = 0; index < modelVariables; ++index)
      names.insert(forward.variable(index).getName());
  }

  LogicalResult build();

private:
  LogicalResult chooseVariables();
  LogicalResult planStates();
  LogicalResult addState(StringRef name, Type type, VariableClass kind);
  void addInitialStates();
  void addStateArguments(ForwardFunction step);
  RecipeOptimizer::Rate addRate(ForwardFunction step, OpBuilder &builder);
  Value rateOf(StringRef name, Value rate, OpBuilder &builder);
  LogicalResult updateVariables(ForwardFunction step, Value loss,
                                SmallVectorImpl<Value> &newValues);
  llvm::StringSet<> findFrozenStatistics(ForwardFunction step);
  void setModeOfLayers(ForwardFunction step, MutableArrayRef<Value> newValues);
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

  const Recipe &recipe;
  RecipeOptimizer optimizer;
  ForwardFunction forward;
  func::FuncOp initialize;
  MLIRContext *context;
  unsigned modelVariables;       ///< how many the model has itself
  llvm::StringSet<> names;       ///< of these variables
  SmallVector<unsigned> trained; ///< indices of the variables that the optimizer moves
  options::NameGlobs withoutDecay, withScale;
  RecipeOptimizer::Rate rate;
  DenseMap<unsigned, Value> scaledRates; ///< by the glob of `withScale`
  SmallVector<State>
      states; ///< new variables: states of the trained ones, in order, then the step counter
};

} // namespace

LogicalResult StepBuilder::chooseVariables() {
  FailureOr<SmallVector<unsigned>> chosen = chooseTrained(forward, initialize, recipe);
  if (failed(chosen))
    return failure();
  trained = std::move(*chosen);
  if (failed(keepPaddingRows(forward, trained, recipe)))
    return failure();
  SmallVector<StringRef> known = llvm::map_to_vector(
      trained, [&](unsigned index) { return forward.variable(index).getName(); });
  auto complain = [&](const Twine &problem) -> LogicalResult {
    return forward.op().emitError("recipe: ") << problem;
  };
  auto still = options::NameGlobs::create("no-decay", "variable", recipe.noDecay, known, complain);
  if (failed(still))
    return failure();
  auto scaled = options::NameGlobs::create("learning-rate-scale", "variable", recipe.rateScaleGlobs,
                                           known, complain);
  if (failed(scaled))
    return failure();
  withoutDecay = std::move(*still), withScale = std::move(*scaled);
  return success();
}

LogicalResult StepBuilder::addState(StringRef name, Type type, VariableClass kind) {
  if (names.contains(name))
    return forward.op().emitError("recipe: the model has a variable '")
           << name << "' already, which is the name of a variable that the optimizer needs";
  states.push_back({variableAttribute(name, kind), type});
  return success();
}

/// Whether rows of `variable` are looked up.
static bool isTable(BlockArgument variable) {
  return cast<RankedTensorType>(variable.getType()).getRank() >= 2 &&
         llvm::any_of(variable.getUsers(), [&](Operation *user) {
           auto lookup = dyn_cast<LookupOpInterface>(user);
           return lookup && lookup.getLookedUpTable() == variable;
         });
}

LogicalResult StepBuilder::planStates() {
  for (unsigned index : trained) {
    BlockArgument variable = forward.op().getArgument(index);
    Type type = optimizer.stateType(variable.getType(), isTable(variable));
    for (StringRef state : optimizer.stateNames())
      if (failed(addState((forward.variable(index).getName() + "." + state).str(), type,
                          VariableClass::State)))
        return failure();
  }
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

RecipeOptimizer::Rate StepBuilder::addRate(ForwardFunction step, OpBuilder &builder) {
  RecipeOptimizer::Rate rate;
  auto role = train::HyperparameterAttr::get(context, rateName,
                                             builder.getF64FloatAttr(recipe.learningRate));
  rate.learningRate = step.addArgument({RankedTensorType::get({}, builder.getF32Type()),
                                        TrainDialect::kHyperparameter, role, locationOf(rateName)});
  if (!optimizer.needsStep())
    return rate;
  Location location = locationOf(stepName);
  rate.step = step.op().getArgument(modelVariables + states.size() - 1);
  auto one = DenseElementsAttr::get(cast<RankedTensorType>(rate.step.getType()), int64_t(1));
  rate.nextStep = arith::AddIOp::create(builder, location, rate.step,
                                        arith::ConstantOp::create(builder, location, one));
  if (!recipe.schedule.isConstant())
    rate.learningRate = addScheduledRate(builder, locationOf(rateName), rate.learningRate,
                                         rate.step, recipe.schedule);
  return rate;
}

/// The rate of the group that the variable belongs to; those of one group share it.
Value StepBuilder::rateOf(StringRef name, Value rate, OpBuilder &builder) {
  std::optional<unsigned> group = withScale.find(name);
  if (!group)
    return rate;
  Value &scaled = scaledRates[*group];
  if (!scaled) {
    auto type = cast<RankedTensorType>(rate.getType());
    auto factor = DenseElementsAttr::get(type, float(recipe.rateScales[*group]));
    scaled = train::ScaleOp::create(builder, rate.getLoc(), type, rate,
                                    arith::ConstantOp::create(builder, rate.getLoc(), factor));
  }
  return scaled;
}

LogicalResult StepBuilder::updateVariables(ForwardFunction step, Value loss,
                                           SmallVectorImpl<Value> &newValues) {
  OpBuilder builder(step.returned());
  rate = addRate(step, builder);
  SmallVector<Value> variables(
      llvm::map_range(trained, [&](unsigned index) { return step.op().getArgument(index); }));
  auto gradient = train::GradientOp::create(builder, loss.getLoc(), loss, variables);
  unsigned perVariable = optimizer.stateNames().size(), nextState = modelVariables;
  for (auto [index, variable, slope] :
       llvm::zip_equal(trained, variables, gradient.getGradients())) {
    StringRef name = step.variable(index).getName();
    RecipeOptimizer::Rate own = rate;
    own.learningRate = rateOf(name, rate.learningRate, builder);
    ValueRange taken = step.op().getArguments().slice(nextState, perVariable);
    Operation *update = optimizer.update(builder, locationOf(name), variable, slope, taken, own,
                                         !withoutDecay.matches(name));
    newValues[index] = update->getResult(0);
    for (unsigned state = 0; state < perVariable; ++state)
      newValues[nextState++] = update->getResult(1 + state);
  }
  if (rate.nextStep)
    newValues[nextState] = rate.nextStep;
  return success();
}

/// Those that a glob matches which matches nothing else, as `*.running_*`: in PyTorch, parameters
/// that are frozen say nothing of statistics.
llvm::StringSet<> StepBuilder::findFrozenStatistics(ForwardFunction step) {
  SmallVector<StringRef> known;
  for (unsigned index = 0; index < modelVariables; ++index)
    known.push_back(step.variable(index).getName());
  auto isStatistic = [&](unsigned index) {
    return llvm::any_of(step.op().getArgument(index).getUses(), [](OpOperand &use) {
      return isa<onnx::BatchNormalizationOp>(use.getOwner()) && use.getOperandNumber() >= 3;
    });
  };
  auto quiet = [](const Twine &) -> LogicalResult { return failure(); };
  llvm::StringSet<> frozen;
  for (const std::string &glob : recipe.frozen) {
    auto one = options::NameGlobs::create("freeze", "variable", glob, known, quiet);
    SmallVector<StringRef> matched;
    bool isOfStatistics = succeeded(one);
    for (unsigned index = 0; index < modelVariables && isOfStatistics; ++index)
      if (one->matches(known[index])) {
        matched.push_back(known[index]);
        isOfStatistics = isStatistic(index);
      }
    if (isOfStatistics)
      frozen.insert_range(matched);
  }
  return frozen;
}

/// A layer whose statistics are frozen works in training as it does in inference.
void StepBuilder::setModeOfLayers(ForwardFunction step, MutableArrayRef<Value> newValues) {
  llvm::StringSet<> frozen = findFrozenStatistics(step);
  unsigned kept = setTrainingMode(step.op(), newValues, [&](Value statistic) {
    auto argument = dyn_cast<BlockArgument>(statistic);
    return argument && argument.getArgNumber() < modelVariables &&
           frozen.contains(step.variable(argument.getArgNumber()).getName());
  });
  if (kept > 0)
    remark::analysis(forward.op().getLoc(), remarkBy("train-apply-recipe", forward.op()))
        << std::to_string(kept) + (kept == 1 ? " normalization works" : " normalizations work") +
               " by running statistics, as in inference, which stay as they are";
}

LogicalResult StepBuilder::buildStepFunction() {
  ForwardFunction step = forward.cloneAs("step");
  addStateArguments(step);
  unsigned count = modelVariables + states.size();
  SmallVector<Value> newValues(step.op().getArguments());
  setModeOfLayers(step, newValues);
  FailureOr<LossOfGraph> loss = LossOfGraph::add(step, recipe);
  if (failed(loss) || failed(updateVariables(step, loss->value, newValues)))
    return failure();
  SmallVector<Result> results;
  for (unsigned index = 0; index < count; ++index)
    results.push_back({newValues[index], TrainDialect::kVariable, step.variable(index)});
  results.push_back({loss->value, TrainDialect::kMetric, StringAttr::get(context, "loss")});
  if (!recipe.schedule.isConstant())
    results.push_back(
        {rate.learningRate, TrainDialect::kMetric, StringAttr::get(context, rateName)});
  results.append(loss->otherResults);
  step.setResults(results);
  return success();
}

LogicalResult StepBuilder::buildEvaluateFunction() {
  ForwardFunction evaluate = forward.cloneAs("evaluate");
  setInferenceMode(evaluate.op());
  FailureOr<LossOfGraph> loss = LossOfGraph::add(evaluate, recipe);
  if (failed(loss))
    return failure();
  Evaluation evaluation = addEvaluation(evaluate, *loss);
  if (evaluation.joins)
    remark::missed(evaluation.joins->getLoc(), remarkBy("train-apply-recipe", forward.op()))
        << "@evaluate takes whole global batches: '" +
               evaluation.joins->getName().getStringRef().str() +
               "' makes of several samples what is no sum, mean, maximum or minimum of theirs";
  evaluate.setResults(evaluation.results);
  if (Operation *whole = loss->value.getDefiningOp(); whole && isOpTriviallyDead(whole))
    whole->erase();
  return success();
}

LogicalResult StepBuilder::build() {
  if (failed(chooseVariables()) || failed(planStates()))
    return failure();
  warnOfProbabilities(forward, recipe);
  // Clones stand right after @forward: the last one made comes first.
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
  return StepBuilder(recipe, function, initialize).build();
}
