// Models with training_info: the initialization graphs become @initialize; the model's graph
// followed by each algorithm, in turn, becomes @step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/training/ProgramImport.h"

#include "lib/frontend/training/TrainingInfo.h"

#include "dialects/onnx/Onnx.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;

namespace {

class TrainingProgram {
public:
  explicit TrainingProgram(ProgramImport &import)
      : import(import), file(import.file), graph(file.model().graph()), info(file) {}

  LogicalResult build() {
    if (failed(info.read()) || failed(sortNodesOfPhases()) || failed(classifyInitializers()))
      return failure();
    return failure(failed(buildInitialize()) || failed(buildStep()));
  }

private:
  LogicalResult sortNodesOfPhases();
  NodeList nodesOf(const TrainingPhase &phase) const;
  SmallVector<StringRef> wantedOf(const TrainingPhase &phase) const;
  bool isReturned(const TrainingPhase &phase, const proto::GraphProto &from,
                  StringRef output) const;

  LogicalResult classifyInitializers();
  LogicalResult readHyperparameter(const proto::TensorProto &tensor);

  LogicalResult buildInitialize();
  LogicalResult runInitialization(const TrainingPhase &phase, llvm::StringMap<Value> &values);
  LogicalResult buildStep();
  LogicalResult runPhase(const TrainingPhase &phase, const NodeList &nodes,
                         FunctionBuilder &function);
  LogicalResult checkType(StringRef name, Value value, StringRef source);
  void defineHyperparameters(TensorScope &scope);

  /// A learning rate that nothing updates: a hyperparameter.
  struct Hyperparameter {
    const proto::TensorProto *initial;
    FloatAttr value;
    Value argument;
  };
  struct Output {
    StringRef name;
    Value value;
  };

  ProgramImport &import;
  const ModelFile &file;
  const proto::GraphProto &graph;
  TrainingInfo info;
  SmallVector<NodeList> nodesByPhase;
  SmallVector<Variable> variables;
  SmallVector<Hyperparameter> hyperparameters;
  llvm::StringMap<Value> current; ///< of variables and inputs, between phases
  SmallVector<Output> outputs;
};

} // namespace

NodeList TrainingProgram::nodesOf(const TrainingPhase &phase) const {
  NodeList nodes;
  for (const proto::GraphProto *part : {&graph, &phase.info->algorithm()})
    for (const proto::NodeProto &node : part->node())
      nodes.push_back(&node);
  return nodes;
}

/// The model's own outputs are those of the first phase, which sees the variables before the step.
bool TrainingProgram::isReturned(const TrainingPhase &phase, const proto::GraphProto &from,
                                 StringRef output) const {
  bool isFirst = &phase == info.phases().begin();
  return !info.isNewValue(output) && (isFirst || &from != &graph);
}

SmallVector<StringRef> TrainingProgram::wantedOf(const TrainingPhase &phase) const {
  SmallVector<StringRef> wanted;
  for (const auto &update : phase.updates)
    wanted.push_back(update.second);
  for (const proto::GraphProto *part : {&graph, &phase.info->algorithm()})
    for (const proto::ValueInfoProto &output : part->output())
      if (isReturned(phase, *part, output.name()))
        wanted.push_back(output.name());
  return wanted;
}

LogicalResult TrainingProgram::sortNodesOfPhases() {
  for (const TrainingPhase &phase : info.phases()) {
    FailureOr<NodeList> sorted = sortNodes(nodesOf(phase), info.names().all(), file);
    if (failed(sorted))
      return failure();
    nodesByPhase.push_back(keepNeeded(*sorted, wantedOf(phase)));
  }
  return success();
}

LogicalResult TrainingProgram::readHyperparameter(const proto::TensorProto &tensor) {
  ElementsAttr content = import.tensors.read(tensor, file.location(tensor.name()));
  if (!content)
    return failure();
  if (content.getNumElements() != 1 || content.getShapedType().getRank() > 1 ||
      !isa<FloatType>(content.getElementType()))
    return emitError(file.location(tensor.name()))
           << "the learning rate '" << tensor.name() << "' must be a float scalar, got "
           << content.getType();
  hyperparameters.push_back({&tensor, *content.getValues<FloatAttr>().begin(), nullptr});
  return success();
}

/// Initializers that nothing updates are constants, but for parameters (frozen, or set by an
/// initialization graph), which stay variables, and learning rates.
LogicalResult TrainingProgram::classifyInitializers() {
  NodeList all;
  for (const NodeList &nodes : nodesByPhase)
    all.append(nodes);
  TensorUses uses(all, FunctionBodies(file));
  for (const proto::TensorProto *tensor : info.names().initializers()) {
    StringRef name = tensor->name();
    bool isBound = info.isUpdated(name) || info.isInitialized(name);
    if (!isBound && (uses.isLearningRate(name) || import.roles.isHyperparameter(name))) {
      if (failed(readHyperparameter(*tensor)))
        return failure();
      continue;
    }
    bool isFrozen = tensor->dims_size() > 0 && uses.classOfParameter(*tensor);
    if (!isBound && !isFrozen)
      continue;
    RankedTensorType type = TensorReader::readType(*tensor, file.location(name));
    if (!type)
      return failure();
    auto kind = info.isUpdated(name) ? uses.classOfUpdated(name) : train::VariableClass::Other;
    variables.push_back({tensor, kind, type});
  }
  return success();
}

LogicalResult TrainingProgram::checkType(StringRef name, Value value, StringRef source) {
  auto variable =
      llvm::find_if(variables, [&](const Variable &candidate) { return candidate.name() == name; });
  if (value.getType() == variable->type)
    return success();
  return emitError(file.location(name))
         << "variable '" << name << "' has type " << variable->type << ", but its new value '"
         << source << "' has type " << value.getType();
}

LogicalResult TrainingProgram::runInitialization(const TrainingPhase &phase,
                                                 llvm::StringMap<Value> &values) {
  const proto::GraphProto &initialization = phase.info->initialization();
  GraphNames names(file);
  if (failed(names.add(initialization)))
    return failure();
  GraphImporter importer(file, import.tensors, import.builder);
  importer.declareTypes(initialization);
  for (const proto::TensorProto *tensor : names.initializers())
    importer.scope().defineConstant(*tensor);
  NodeList nodes;
  for (const proto::NodeProto &node : initialization.node())
    nodes.push_back(&node);
  FailureOr<NodeList> sorted = sortNodes(nodes, names.all(), file);
  if (failed(sorted) || failed(importer.importNodes(*sorted)))
    return failure();
  for (const auto &entry : phase.info->initialization_binding()) {
    Value value = importer.scope().lookup(entry.value(), file.location(entry.key()));
    if (!value || failed(checkType(entry.key(), value, entry.value())))
      return failure();
    values[entry.key()] = value;
  }
  return success();
}

LogicalResult TrainingProgram::buildInitialize() {
  FunctionBuilder function("initialize", import.module, import.builder);
  llvm::StringMap<Value> values;
  for (const TrainingPhase &phase : info.phases())
    if (failed(runInitialization(phase, values)))
      return failure();
  for (const Variable &variable : variables) {
    Value value = values.lookup(variable.name());
    if (!value) {
      Location location = file.location(variable.name());
      ElementsAttr content = import.tensors.read(*variable.initial, location);
      if (!content)
        return failure();
      value = tutti::onnx::ConstantOp::create(import.builder, location, content);
    }
    function.returnVariable(variable, value);
  }
  function.finish();
  return success();
}

LogicalResult TrainingProgram::buildStep() {
  FunctionBuilder function("step", import.module, import.builder);
  for (const Variable &variable : variables)
    current[variable.name()] = function.addVariable(variable, file.location(variable.name()));
  TensorScope inputs(file, import.tensors, import.builder);
  if (failed(import.addInputs(function, inputs, info.names().inputs())))
    return failure();
  for (const proto::ValueInfoProto *input : info.names().inputs())
    current[input->name()] = inputs.lookup(input->name(), file.location(input->name()));
  for (Hyperparameter &rate : hyperparameters)
    rate.argument = function.addHyperparameter(rate.initial->name(), rate.value,
                                               file.location(rate.initial->name()));
  for (auto [phase, nodes] : llvm::zip_equal(info.phases(), nodesByPhase))
    if (failed(runPhase(phase, nodes, function)))
      return failure();
  for (const Variable &variable : variables)
    function.returnVariable(variable, current[variable.name()]);
  for (const Output &output : outputs)
    function.returnOutput(output.name, output.value);
  function.finish();
  return success();
}

/// A learning rate that is declared as a vector of one element is used as a scalar.
void TrainingProgram::defineHyperparameters(TensorScope &scope) {
  for (const Hyperparameter &rate : hyperparameters) {
    Value value = rate.argument;
    if (rate.initial->dims_size() == 1)
      value = tutti::onnx::UnsqueezeOp::create(import.builder, file.location(rate.initial->name()),
                                               value, import.builder.getDenseI64ArrayAttr({0}));
    scope.define(rate.initial->name(), value);
  }
}

/// An algorithm reads the old state; assignment happens after it has run.
LogicalResult TrainingProgram::runPhase(const TrainingPhase &phase, const NodeList &nodes,
                                        FunctionBuilder &function) {
  GraphImporter importer(file, import.tensors, import.builder);
  importer.declareTypes(graph);
  importer.declareTypes(phase.info->algorithm());
  TensorScope &scope = importer.scope();
  for (const proto::TensorProto *tensor : info.names().initializers())
    scope.defineConstant(*tensor);
  for (const auto &entry : current)
    scope.define(entry.first(), entry.second);
  importer.declareSizes(graph);
  defineHyperparameters(scope);
  if (failed(importer.importNodes(nodes)))
    return failure();
  for (const proto::GraphProto *part : {&graph, &phase.info->algorithm()})
    for (const proto::ValueInfoProto &output : part->output()) {
      if (!isReturned(phase, *part, output.name()))
        continue;
      Value value = scope.lookup(output.name(), file.location(output.name()));
      if (!value)
        return failure();
      outputs.push_back({output.name(), value});
    }
  for (const auto &entry : phase.info->update_binding()) {
    Value value = scope.lookup(entry.value(), file.location(entry.key()));
    if (!value || failed(checkType(entry.key(), value, entry.value())))
      return failure();
    current[entry.key()] = value;
  }
  return success();
}

LogicalResult tutti::frontend::importTrainingProgram(ProgramImport &import) {
  return TrainingProgram(import).build();
}
