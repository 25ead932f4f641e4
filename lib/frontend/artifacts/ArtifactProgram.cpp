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

/// The path of one of the files: the given one, else `usual` in the folder of the training model;
/// none if there is no such file.
static std::optional<std::string> locate(const ModelFile &model, StringRef given, StringRef usual) {
  if (!given.empty())
    return given.str();
  SmallString<128> path(model.folder());
  llvm::sys::path::append(path, usual);
  return llvm::sys::fs::exists(path) ? std::optional(path.str().str()) : std::nullopt;
}

namespace {

class ArtifactProgram {
public:
  /// `optimizer` is null where none is known.
  ArtifactProgram(ProgramImport &import, const OptimizerModel *optimizer,
                  const CheckpointFile &checkpoint)
      : import(import), file(import.file), optimizer(optimizer), checkpoint(checkpoint),
        graph(file, checkpoint) {}

  LogicalResult build() {
    if (failed(graph.read(/*forOutputsAlone=*/!optimizer)) || failed(planVariables()) ||
        failed(buildInitialize()))
      return failure();
    return optimizer ? buildStep() : buildForward();
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
    return optimizer && optimizer->kind == OptimizerModel::Kind::AdamW && optimizer->correctsBias;
  }

  LogicalResult buildInitialize();
  /// Where no optimizer is known: what the graph computes, for a recipe to make a step of.
  LogicalResult buildForward();
  LogicalResult buildStep();
  ElementsAttr contentOf(const State &state);
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
    return tutti::onnx::ConstantOp::create(import.builder, optimizer->location,
                                           DenseElementsAttr::get(type, number));
  }

  ProgramImport &import;
  const ModelFile &file;
  const OptimizerModel *optimizer;
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
  for (unsigned which = 0; which < optimizer->moments(); ++which) {
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
    if (optimizer && !parameter.gradient.empty() && failed(addMoments(parameter)))
      return failure();
  if (!countsSteps())
    return success();
  auto type = RankedTensorType::get({}, import.builder.getI64Type());
  if (failed(addState("step", VariableClass::Other, type, nullptr, optimizer->location)))
    return failure();
  states.back().start = checkpoint.steps();
  return success();
}

/// Null after a diagnostic.
ElementsAttr ArtifactProgram::contentOf(const State &state) {
  RankedTensorType type = state.variable.type;
  if (const proto::TensorProto *given = graph.givenValue(state.variable.name()))
    return import.tensors.read(*given, state.location);
  if (state.initial)
    return checkpoint.contentOf(*state.initial, type, state.location);
  if (isa<IntegerType>(type.getElementType()))
    return DenseElementsAttr::get(type, state.start);
  return DenseElementsAttr::get(type, Attribute(import.builder.getZeroAttr(type.getElementType())));
}

LogicalResult ArtifactProgram::buildInitialize() {
  FunctionBuilder function("initialize", import.module, import.builder);
  for (const State &state : states) {
    ElementsAttr content = contentOf(state);
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
  if (!optimizer->largestNorm)
    return;
  OpBuilder &builder = import.builder;
  Value norm = train::GlobalNormOp::create(builder, optimizer->location, gradients);
  for (Value &gradient : gradients)
    gradient = train::ClipOp::create(builder, optimizer->location, gradient.getType(), gradient,
                                     norm, builder.getF32FloatAttr(*optimizer->largestNorm));
}

Value ArtifactProgram::addStep() {
  if (optimizer->kind == OptimizerModel::Kind::Sgd)
    return nullptr;
  if (!countsSteps())
    return constant(0); // at which nothing is corrected
  current.back() = tutti::onnx::AddOp::create(import.builder, optimizer->location,
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
  if (optimizer->kind == OptimizerModel::Kind::Sgd)
    return {train::SgdOp::create(builder, parameter.location, type, variable, gradients[trained],
                                 rate, Value(), number(0))};
  unsigned moments = graph.parameters().size() + optimizer->moments() * trained;
  auto updated = train::AdamWOp::create(
      builder, parameter.location, type, type, type, variable, gradients[trained], current[moments],
      current[moments + 1], rate, step, number(optimizer->alpha), number(optimizer->beta),
      number(optimizer->epsilon), number(optimizer->weightDecay), flag(optimizer->isHuggingFaces),
      flag(optimizer->isHuggingFaces));
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
    unsigned moments = graph.parameters().size() + optimizer->moments() * trained++;
    std::copy(values.begin() + 1, values.end(), current.begin() + moments);
  }
}

LogicalResult ArtifactProgram::buildForward() {
  FunctionBuilder function("forward", import.module, import.builder);
  GraphImporter importer(file, import.tensors, import.builder);
  importer.declareTypes(file.model().graph());
  TensorScope &scope = importer.scope();
  if (failed(addArguments(function, scope)))
    return failure();
  importer.declareSizes(file.model().graph());
  if (failed(importer.importNodes(graph.nodes())) ||
      failed(import.returnOutputs(function, scope, graph.outputs())))
    return failure();
  function.finish();
  return success();
}

LogicalResult ArtifactProgram::buildStep() {
  FunctionBuilder function("step", import.module, import.builder);
  GraphImporter importer(file, import.tensors, import.builder);
  importer.declareTypes(file.model().graph());
  TensorScope &scope = importer.scope();
  if (failed(addArguments(function, scope)))
    return failure();
  importer.declareSizes(file.model().graph());
  float start = checkpoint.learningRate().value_or(kLearningRate);
  Value rate = function.addHyperparameter("learning_rate", import.builder.getF32FloatAttr(start),
                                          optimizer->location);
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

/// Null after a diagnostic. Values that nobody has are no error here: a program without them is
/// rewritten and planned as any other.
static std::unique_ptr<CheckpointFile> findCheckpoint(const ModelFile &model,
                                                      const ArtifactFiles &files, bool hasValues) {
  std::optional<std::string> path = locate(model, files.checkpoint, ArtifactFiles::kCheckpoint);
  if (path && hasValues) {
    emitError(model.location()) << "the values of this training model of ONNX Runtime are in its "
                                   "checkpoint '"
                                << *path << "'; drop --variables";
    return nullptr;
  }
  if (!path) {
    if (!hasValues)
      emitWarning(model.location())
          << "there is no checkpoint beside this training model of ONNX Runtime, so its parameters "
             "have no values: the program can be rewritten and planned, but not run; "
             "--checkpoint=FILE or --variables=FILE.safetensors gives them";
    return withoutCheckpoint(model);
  }
  std::unique_ptr<CheckpointFile> checkpoint = CheckpointFile::open(*path, model.location());
  if (checkpoint && checkpoint->isNominal())
    emitWarning(model.location()) << "the checkpoint '" << *path
                                  << "' is nominal: it has no values; the program can be "
                                     "rewritten and planned, but not run";
  return checkpoint;
}

LogicalResult tutti::frontend::importArtifactProgram(ProgramImport &import,
                                                     const ArtifactFiles &files, bool hasValues) {
  const ModelFile &model = import.file;
  std::optional<OptimizerModel> optimizer;
  if (std::optional<std::string> path =
          locate(model, files.optimizerModel, ArtifactFiles::kOptimizerModel)) {
    FailureOr<OptimizerModel> read = OptimizerModel::open(*path, model.location());
    if (failed(read))
      return failure();
    optimizer = std::move(*read);
  } else {
    emitWarning(model.location())
        << "there is no optimizer model beside this training model of ONNX Runtime: it is read up "
           "to its outputs, and gradients are made anew with the loss and the optimizer of "
           "--train, "
           "e.g. --train=\"loss=output optimizer=adamw\"; --optimizer-model=FILE names one";
  }
  std::unique_ptr<CheckpointFile> checkpoint = findCheckpoint(model, files, hasValues);
  if (!checkpoint)
    return failure();
  return ArtifactProgram(import, optimizer ? &*optimizer : nullptr, *checkpoint).build();
}
