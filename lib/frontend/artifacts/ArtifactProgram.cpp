// Training artifacts as a training program: what the optimizer's graph does to sequences becomes an
// operation for each parameter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/artifacts/ArtifactProgram.h"

#include "lib/frontend/artifacts/ArtifactGraph.h"
#include "lib/frontend/artifacts/OptimizerModel.h"
#include "lib/frontend/training/ProgramImport.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::VariableClass;

/// What ONNX Runtime starts with where nobody sets another.
static constexpr float kLearningRate = 1e-3f;

/// The names of moments, as recipes have them.
static constexpr StringLiteral kMoments[] = {"exp_avg", "exp_avg_sq"};

/// Where one of the files is: as given, else beside the training model. Failure after a diagnostic.
static FailureOr<std::string> locate(const ModelFile &model, StringRef given, StringRef usual,
                                     StringRef what, StringRef flag) {
  if (!given.empty())
    return given.str();
  SmallString<128> path(model.folder());
  llvm::sys::path::append(path, usual);
  if (llvm::sys::fs::exists(path))
    return path.str().str();
  return emitError(model.location())
         << "the model accumulates gradients (InPlaceAccumulatorV2), so it belongs to ONNX "
            "Runtime's training artifacts, but there is no "
         << what << " '" << path << "' beside it; say where it is with " << flag << "=FILE";
}

namespace {

class ArtifactProgram {
public:
  ArtifactProgram(ProgramImport &import, const OptimizerModel &optimizer,
                  const CheckpointFile &checkpoint)
      : import(import), file(import.file), optimizer(optimizer), checkpoint(checkpoint),
        graph(file, checkpoint) {}

  LogicalResult build() {
    if (failed(graph.read()) || failed(planVariables()))
      return failure();
    return failure(failed(buildInitialize()) || failed(buildStep()));
  }

private:
  /// A variable and its first value, or what it starts at.
  struct State {
    Variable variable;
    const CheckpointTensor *initial;
    int64_t start = 0;
    Location location;
  };

  LogicalResult planVariables();
  LogicalResult addState(StringRef name, VariableClass kind, RankedTensorType type,
                         const CheckpointTensor *initial, Location location);
  LogicalResult addMoments(const ArtifactParameter &parameter);
  bool countsSteps() const {
    return optimizer.kind == OptimizerModel::Kind::AdamW && optimizer.correctsBias;
  }

  LogicalResult buildInitialize();
  LogicalResult buildStep();
  LogicalResult addArguments(FunctionBuilder &function, TensorScope &scope);
  LogicalResult findGradients(TensorScope &scope);
  void clipGradients();
  /// The step that corrections are made for; null if there are none.
  Value addStep();
  void updateParameters(Value rate);
  SmallVector<Value> update(unsigned trained, const ArtifactParameter &parameter, Value rate,
                            Value step);
  Value constant(int64_t number) {
    auto type = RankedTensorType::get({}, import.builder.getI64Type());
    return tutti::onnx::ConstantOp::create(import.builder, optimizer.location,
                                           DenseElementsAttr::get(type, number));
  }

  ProgramImport &import;
  const ModelFile &file;
  const OptimizerModel &optimizer;
  const CheckpointFile &checkpoint;
  ArtifactGraph graph;
  /// The parameters, then the moments of each that is trained, then the counter of steps.
  std::vector<State> states;
  llvm::StringSet<> names;
  SmallVector<Value> current;   ///< of `states`
  SmallVector<Value> gradients; ///< of the parameters that are trained
};

} // namespace

LogicalResult ArtifactProgram::addState(StringRef name, VariableClass kind, RankedTensorType type,
                                        const CheckpointTensor *initial, Location location) {
  if (!names.insert(name).second)
    return emitError(location) << "the model has a parameter '" << name
                               << "', which is the name of a variable that the optimizer needs";
  states.push_back({{nullptr, kind, type, name.str()}, initial, 0, location});
  return success();
}

LogicalResult ArtifactProgram::addMoments(const ArtifactParameter &parameter) {
  StringRef name = parameter.initial->name;
  for (unsigned which = 0; which < optimizer.moments(); ++which) {
    const CheckpointTensor *initial = checkpoint.moment(name, which);
    RankedTensorType type =
        initial ? CheckpointFile::typeOf(*initial, parameter.location) : parameter.type;
    if (!type)
      return failure();
    if (type != parameter.type)
      return emitError(parameter.location)
             << "parameter '" << name << "' is " << parameter.type << ", but its '" << initial->name
             << "' in the checkpoint is " << type;
    if (failed(addState((name + "." + kMoments[which]).str(), VariableClass::State, type, initial,
                        parameter.location)))
      return failure();
  }
  return success();
}

LogicalResult ArtifactProgram::planVariables() {
  for (const ArtifactParameter &parameter : graph.parameters()) {
    bool isTrained = !parameter.gradient.empty();
    if (failed(addState(parameter.initial->name,
                        isTrained ? VariableClass::Trainable : VariableClass::Other, parameter.type,
                        parameter.initial, parameter.location)))
      return failure();
  }
  for (const ArtifactParameter &parameter : graph.parameters())
    if (!parameter.gradient.empty() && failed(addMoments(parameter)))
      return failure();
  if (!countsSteps())
    return success();
  auto type = RankedTensorType::get({}, import.builder.getI64Type());
  if (failed(addState("step", VariableClass::Other, type, nullptr, optimizer.location)))
    return failure();
  states.back().start = checkpoint.steps();
  return success();
}

LogicalResult ArtifactProgram::buildInitialize() {
  FunctionBuilder function("initialize", import.module, import.builder);
  for (const State &state : states) {
    RankedTensorType type = state.variable.type;
    ElementsAttr content;
    if (state.initial)
      content = checkpoint.contentOf(*state.initial, type, state.location);
    else if (isa<IntegerType>(type.getElementType()))
      content = DenseElementsAttr::get(type, state.start);
    else
      content = DenseElementsAttr::get(
          type, Attribute(import.builder.getZeroAttr(type.getElementType())));
    if (!content)
      return failure();
    function.returnVariable(
        state.variable, tutti::onnx::ConstantOp::create(import.builder, state.location, content));
  }
  function.finish();
  return success();
}

LogicalResult ArtifactProgram::addArguments(FunctionBuilder &function, TensorScope &scope) {
  for (const State &state : states) {
    current.push_back(function.addVariable(state.variable, state.location));
    scope.define(state.variable.name(), current.back());
  }
  for (const proto::TensorProto *tensor : graph.constants())
    scope.defineConstant(*tensor);
  return import.addInputs(function, scope, graph.data());
}

LogicalResult ArtifactProgram::findGradients(TensorScope &scope) {
  for (const ArtifactParameter &parameter : graph.parameters()) {
    if (parameter.gradient.empty())
      continue;
    Value gradient = scope.lookup(parameter.gradient, parameter.location);
    if (!gradient)
      return failure();
    if (gradient.getType() != parameter.type)
      return emitError(parameter.location)
             << "parameter '" << parameter.initial->name << "' has type " << parameter.type
             << ", but its gradient '" << parameter.gradient << "' has type " << gradient.getType();
    gradients.push_back(gradient);
  }
  return success();
}

void ArtifactProgram::clipGradients() {
  if (!optimizer.largestNorm)
    return;
  OpBuilder &builder = import.builder;
  Value norm = train::GlobalNormOp::create(builder, optimizer.location, gradients);
  for (Value &gradient : gradients)
    gradient = train::ClipOp::create(builder, optimizer.location, gradient.getType(), gradient,
                                     norm, builder.getF32FloatAttr(*optimizer.largestNorm));
}

Value ArtifactProgram::addStep() {
  if (optimizer.kind == OptimizerModel::Kind::Sgd)
    return nullptr;
  if (!countsSteps())
    return constant(0); // at which nothing is corrected
  current.back() = tutti::onnx::AddOp::create(import.builder, optimizer.location,
                                              ValueRange{current.back(), constant(1)});
  return current.back();
}

/// The new values of a parameter and its moments, `trained` being its place among those trained.
SmallVector<Value> ArtifactProgram::update(unsigned trained, const ArtifactParameter &parameter,
                                           Value rate, Value step) {
  OpBuilder &builder = import.builder;
  auto number = [&](float value) { return builder.getF32FloatAttr(value); };
  auto flag = [&](bool isSet) { return isSet ? builder.getUnitAttr() : UnitAttr(); };
  Type type = parameter.type;
  Value variable = current[&parameter - graph.parameters().begin()];
  if (optimizer.kind == OptimizerModel::Kind::Sgd)
    return {train::SgdOp::create(builder, parameter.location, type, variable, gradients[trained],
                                 rate, Value(), number(0))};
  unsigned moments = graph.parameters().size() + optimizer.moments() * trained;
  auto updated = train::AdamWOp::create(
      builder, parameter.location, type, type, type, variable, gradients[trained], current[moments],
      current[moments + 1], rate, step, number(optimizer.alpha), number(optimizer.beta),
      number(optimizer.epsilon), number(optimizer.weightDecay), flag(optimizer.isHuggingFaces),
      flag(optimizer.isHuggingFaces));
  return SmallVector<Value>(updated->getResults());
}

void ArtifactProgram::updateParameters(Value rate) {
  clipGradients();
  Value step = addStep();
  unsigned trained = 0;
  for (auto [index, parameter] : llvm::enumerate(graph.parameters())) {
    if (parameter.gradient.empty())
      continue;
    SmallVector<Value> values = update(trained, parameter, rate, step);
    current[index] = values[0];
    unsigned moments = graph.parameters().size() + optimizer.moments() * trained++;
    std::copy(values.begin() + 1, values.end(), current.begin() + moments);
  }
}

LogicalResult ArtifactProgram::buildStep() {
  FunctionBuilder function("step", import.module, import.builder);
  GraphImporter importer(file, import.tensors, import.builder);
  importer.declareTypes(file.model().graph());
  TensorScope &scope = importer.scope();
  if (failed(addArguments(function, scope)))
    return failure();
  float start = checkpoint.learningRate().value_or(kLearningRate);
  Value rate = function.addHyperparameter("learning_rate", import.builder.getF32FloatAttr(start),
                                          optimizer.location);
  if (failed(importer.importNodes(graph.nodes())) || failed(findGradients(scope)))
    return failure();
  updateParameters(rate);
  for (auto [state, value] : llvm::zip_equal(states, current))
    function.returnVariable(state.variable, value);
  if (failed(import.returnOutputs(function, scope, graph.outputs())))
    return failure();
  function.finish();
  return success();
}

LogicalResult tutti::frontend::importArtifactProgram(ProgramImport &import,
                                                     const ArtifactFiles &files) {
  const ModelFile &model = import.file;
  FailureOr<std::string> optimizerPath =
      locate(model, files.optimizerModel, ArtifactFiles::kOptimizerModel, "optimizer model",
             "--optimizer-model");
  FailureOr<std::string> checkpointPath =
      locate(model, files.checkpoint, ArtifactFiles::kCheckpoint, "checkpoint", "--checkpoint");
  if (failed(optimizerPath) || failed(checkpointPath))
    return failure();
  FailureOr<OptimizerModel> optimizer = OptimizerModel::open(*optimizerPath, model.location());
  std::unique_ptr<CheckpointFile> checkpoint =
      CheckpointFile::open(*checkpointPath, model.location());
  if (failed(optimizer) || !checkpoint)
    return failure();
  if (checkpoint->isNominal())
    emitWarning(model.location()) << "the checkpoint '" << *checkpointPath
                                  << "' is nominal: it has no values; the program can be "
                                     "rewritten and planned, but not run";
  return ArtifactProgram(import, *optimizer, *checkpoint).build();
}
