// Functions with roles as graphs, initializers and bindings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/export/ExportOnnx.h"

#include "lib/frontend/export/GraphWriter.h"
#include "lib/frontend/export/InitialValues.h"
#include "lib/frontend/export/TensorWriter.h"
#include "lib/frontend/model/MissingData.h"
#include "lib/frontend/model/OperationNodes.h"

#include "dialects/onnx/Onnx.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace tutti;
using namespace tutti::frontend;
using train::TrainDialect;

/// What a program is besides its variables and nodes, as an entry of the model's metadata: its text
/// with declarations in place of functions; see OperationNodes.h.
static void addProgramFrame(ModuleOp module, proto::ModelProto &model) {
  OwningOpRef<ModuleOp> frame = ModuleOp::create(module.getLoc());
  (*frame)->setAttrs(module->getAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(frame->getBody());
  for (Operation &op : *module.getBody()) {
    Operation *copy = isa<func::FuncOp>(op) ? op.cloneWithoutRegions() : op.clone();
    builder.insert(copy);
    if (auto function = dyn_cast<func::FuncOp>(copy))
      function.setPrivate();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  frame->print(stream, OpPrintingFlags().useLocalScope());
  auto *entry = model.add_metadata_props();
  entry->set_key(programFrame.str());
  entry->set_value(text);
}

static bool hasHoles(std::optional<ArrayRef<int64_t>> dilations) {
  return dilations && !llvm::all_of(*dilations, [](int64_t dilation) { return dilation == 1; });
}

/// The version of the operator set that has `op`, or what its attributes say.
static int64_t opsetOf(Operation *op) {
  constexpr int64_t ofExtremes = 18, ofHoles = 19, ofGelu = 20;
  auto ofReduction = [](auto scatter) {
    bool isExtreme = scatter.getReduction() == "max" || scatter.getReduction() == "min";
    return isExtreme ? ofExtremes : int64_t(newestOpsetOfLibrary);
  };
  auto ofPool = [](auto pool) {
    return hasHoles(pool.getDilations()) ? ofHoles : int64_t(newestOpsetOfLibrary);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](tutti::onnx::GeluOp) { return ofGelu; })
      .Case<tutti::onnx::ScatterElementsOp, tutti::onnx::ScatterNDOp>(ofReduction)
      .Case<tutti::onnx::AveragePoolOp, tutti::onnx::AveragePoolGradOp>(ofPool)
      .Default([](Operation *) { return newestOpsetOfLibrary; });
}

/// The newest version that libonnx knows, or that of the module's youngest operator.
static int64_t chooseOpset(ModuleOp module) {
  int64_t opset = newestOpsetOfLibrary;
  module.walk([&](Operation *op) { opset = std::max(opset, opsetOf(op)); });
  return opset;
}

namespace {

class ModelWriter {
public:
  ModelWriter(ModuleOp module, func::FuncOp initialize, func::FuncOp body)
      : module(module), initialize(initialize), body(body), opset(chooseOpset(module)),
        trains(body.getName() == "step"), graph(*model.mutable_graph()), functions(model, opset) {}

  LogicalResult write() {
    begin();
    if (failed(nameArguments()))
      return failure();
    nameResults();
    if (failed(writeVariables()) || failed(writeNodes()))
      return failure();
    addOutputs();
    return success();
  }

  FailureOr<std::string> serialize() {
    std::string text;
    if (model.ByteSizeLong() < uint64_t(std::numeric_limits<int>::max()) &&
        model.SerializeToString(&text))
      return text;
    return emitError(module.getLoc()) << "the model has " << model.ByteSizeLong()
                                      << " bytes, but a protocol buffer ends at 2 GiB";
  }

private:
  void begin();
  LogicalResult nameArguments();
  void nameResults();
  LogicalResult writeVariables();
  LogicalResult writeInitialization(ArrayRef<std::pair<std::string, Value>> values);
  LogicalResult writeNodes();
  void addOutputs();
  void addUpdates();
  llvm::DenseSet<Operation *> findInference();
  proto::TrainingInfoProto &training() { return *model.mutable_training_info(0); }
  Operation *terminator() { return body.getBody().front().getTerminator(); }

  ModuleOp module;
  func::FuncOp initialize, body;
  int64_t opset;
  bool trains;
  proto::ModelProto model;
  proto::GraphProto &graph;
  ModelFunctions functions;
  TensorNames names;
  SmallVector<std::string> outputNames; ///< of the results of the body
};

} // namespace

void ModelWriter::begin() {
  model.set_ir_version(8);
  model.set_producer_name("Tutti");
  auto import = [&](StringRef domain, int64_t version) {
    auto *entry = model.add_opset_import();
    entry->set_domain(domain.str());
    entry->set_version(version);
  };
  import("", opset);
  import("com.microsoft", 1);
  llvm::StringSet<> others;
  module.walk([&](tutti::onnx::CustomOp custom) {
    StringRef domain = custom.getDomain();
    if (!domain.empty() && domain != "com.microsoft" && others.insert(domain).second)
      import(domain, 1);
  });
  if (trains) {
    import(trainingDomain, 1);
    model.add_training_info()->mutable_algorithm()->set_name("algorithm");
  }
  graph.set_name(body.getName().str());
  addProgramFrame(module, model);
}

/// The name that a role gives to an argument; empty if it has none.
static std::string roleOf(func::FuncOp function, unsigned index) {
  if (auto variable =
          function.getArgAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable))
    return variable.getName().str();
  if (auto input = function.getArgAttrOfType<train::InputAttr>(index, TrainDialect::kInput))
    return input.getName().str();
  if (auto rate = function.getArgAttrOfType<train::HyperparameterAttr>(
          index, TrainDialect::kHyperparameter))
    return rate.getName().str();
  return "";
}

static DenseElementsAttr valueOf(train::HyperparameterAttr rate, RankedTensorType type) {
  return DenseElementsAttr::get(
      type, Attribute(FloatAttr::get(type.getElementType(), rate.getValue().getValueAsDouble())));
}

LogicalResult ModelWriter::nameArguments() {
  for (BlockArgument argument : body.getArguments()) {
    unsigned index = argument.getArgNumber();
    std::string role = roleOf(body, index);
    if (role.empty())
      return emitError(body.getLoc()) << "argument " << index << " of @" << body.getName()
                                      << " is no variable, input or hyperparameter";
    names.define(argument, role);
    GraphWriter writer(graph, names, opset, functions);
    if (body.getArgAttr(index, TrainDialect::kInput))
      *graph.add_input() = writer.describe(argument);
    if (auto rate = body.getArgAttrOfType<train::HyperparameterAttr>(
            index, TrainDialect::kHyperparameter)) {
      auto tensor = writeTensor(valueOf(rate, cast<RankedTensorType>(argument.getType())),
                                names.of(argument), body.getLoc());
      if (failed(tensor))
        return failure();
      *training().mutable_algorithm()->add_initializer() = std::move(*tensor);
    }
  }
  return success();
}

static StringRef nameOfResult(func::FuncOp function, unsigned index) {
  for (StringRef role : {TrainDialect::kOutput, TrainDialect::kMetric})
    if (auto name = function.getResultAttrOfType<StringAttr>(index, role))
      return name.getValue();
  return "";
}

/// An output of the model has its own name. What is an output already, or an argument, is copied
/// under it.
void ModelWriter::nameResults() {
  for (OpOperand &result : terminator()->getOpOperands()) {
    StringRef name = nameOfResult(body, result.getOperandNumber());
    if (name.empty()) {
      outputNames.push_back("");
      continue;
    }
    bool isNew = !names.has(result.get());
    outputNames.push_back(isNew ? "" : names.make(name));
    if (isNew)
      names.define(result.get(), name);
    if (isNew)
      outputNames.back() = names.of(result.get());
  }
}

/// Values that are not constant are zeros in the initializer, until the initialization has run.
LogicalResult ModelWriter::writeVariables() {
  SmallVector<std::pair<std::string, Value>> computed;
  Operation *values = initialize.getBody().front().getTerminator();
  for (OpOperand &result : values->getOpOperands()) {
    auto role = initialize.getResultAttrOfType<train::VariableAttr>(result.getOperandNumber(),
                                                                    TrainDialect::kVariable);
    if (!role)
      continue;
    FailureOr<Value> initial = findInitialValue(result.get());
    if (failed(initial))
      return failure();
    ElementsAttr constant;
    (void)matchPattern(*initial, m_Constant(&constant));
    auto type = cast<RankedTensorType>(initial->getType());
    ElementsAttr content =
        constant ? constant
                 : DenseElementsAttr::get(
                       type, Builder(type.getContext()).getZeroAttr(type.getElementType()));
    auto tensor = writeTensor(content, role.getName(), result.get().getLoc());
    if (failed(tensor))
      return failure();
    *graph.add_initializer() = std::move(*tensor);
    if (!constant)
      computed.push_back({role.getName().str(), *initial});
  }
  if (computed.empty())
    return success();
  if (trains)
    return writeInitialization(computed);
  return emitError(computed.front().second.getLoc())
         << "the variable '" << computed.front().first
         << "' starts from a value that is not constant, which only a model with training_info "
            "can say";
}

LogicalResult ModelWriter::writeInitialization(ArrayRef<std::pair<std::string, Value>> values) {
  proto::GraphProto &initialization = *training().mutable_initialization();
  initialization.set_name("initialization");
  GraphWriter writer(initialization, names, opset, functions);
  llvm::DenseSet<Operation *> needed;
  for (const auto &[name, value] : values)
    addProducers(value, needed);
  for (Operation &op : initialize.getBody().front().without_terminator())
    if (needed.contains(&op) && failed(writer.write(&op)))
      return failure();
  for (const auto &[name, value] : values) {
    *initialization.add_output() = writer.describe(value);
    auto *binding = training().add_initialization_binding();
    binding->set_key(name);
    binding->set_value(writer.nameOf(value));
  }
  return success();
}

/// What the outputs need that are not metrics: the graph that stays when training is over.
llvm::DenseSet<Operation *> ModelWriter::findInference() {
  llvm::DenseSet<Operation *> found;
  for (OpOperand &result : terminator()->getOpOperands())
    if (!trains || body.getResultAttr(result.getOperandNumber(), TrainDialect::kOutput))
      addProducers(result.get(), found);
  return found;
}

LogicalResult ModelWriter::writeNodes() {
  llvm::DenseSet<Operation *> inference = findInference();
  GraphWriter inGraph(graph, names, opset, functions);
  std::optional<GraphWriter> inAlgorithm;
  if (trains)
    inAlgorithm.emplace(*training().mutable_algorithm(), names, opset, functions);
  for (Operation &op : body.getBody().front().without_terminator()) {
    GraphWriter &writer = trains && !inference.contains(&op) ? *inAlgorithm : inGraph;
    if (failed(writer.write(&op)))
      return failure();
  }
  inGraph.finish();
  if (inAlgorithm)
    inAlgorithm->finish();
  return success();
}

/// Adds `value` to the outputs of `graph`, by a copy if it has another name.
static void addOutput(Value value, StringRef name, proto::GraphProto &graph, GraphWriter &writer) {
  proto::ValueInfoProto output = writer.describe(value);
  if (output.name() != name) {
    proto::NodeProto &copy = *graph.add_node();
    copy.set_op_type("Identity");
    copy.set_name(name.str());
    copy.add_input(output.name());
    copy.add_output(name.str());
    output.set_name(name.str());
  }
  *graph.add_output() = std::move(output);
}

void ModelWriter::addOutputs() {
  llvm::DenseSet<Operation *> inference = findInference();
  for (OpOperand &result : terminator()->getOpOperands()) {
    const std::string &name = outputNames[result.getOperandNumber()];
    Operation *producer = result.get().getDefiningOp();
    bool isInference = !trains || (producer && inference.contains(producer));
    proto::GraphProto &target = isInference ? graph : *training().mutable_algorithm();
    GraphWriter writer(target, names, opset, functions);
    if (!name.empty())
      addOutput(result.get(), name, target, writer);
  }
  if (trains)
    addUpdates();
}

/// A variable that keeps its value needs none.
void ModelWriter::addUpdates() {
  proto::GraphProto &algorithm = *training().mutable_algorithm();
  GraphWriter writer(algorithm, names, opset, functions);
  for (OpOperand &result : terminator()->getOpOperands()) {
    auto role = body.getResultAttrOfType<train::VariableAttr>(result.getOperandNumber(),
                                                              TrainDialect::kVariable);
    if (!role)
      continue;
    auto argument = dyn_cast<BlockArgument>(result.get());
    if (argument && roleOf(body, argument.getArgNumber()) == role.getName())
      continue;
    std::string name = writer.nameOf(result.get());
    bool isListed =
        llvm::any_of(algorithm.output(), [&](const auto &output) { return output.name() == name; });
    if (argument)
      name = names.make(name + "_new");
    if (!isListed)
      addOutput(result.get(), name, algorithm, writer);
    auto *binding = training().add_update_binding();
    binding->set_key(role.getName().str());
    binding->set_value(name);
  }
}

/// They are in the frame of the program, which nobody reads but the importer.
static void warnOfWaitingPasses(ModuleOp module, StringRef when, const char *why) {
  auto passes = module->getAttrOfType<ArrayAttr>(when);
  if (!passes || passes.empty())
    return;
  InFlightDiagnostic warning = emitWarning(module.getLoc())
                               << "the nodes of the model are those before ";
  llvm::interleaveComma(passes.getAsValueRange<StringAttr>(), warning);
  warning << ", which wait for " << why;
}

FailureOr<std::string> tutti::frontend::exportOnnx(ModuleOp module) {
  auto initialize = module.lookupSymbol<func::FuncOp>("initialize");
  auto body = module.lookupSymbol<func::FuncOp>("step");
  if (!body)
    body = module.lookupSymbol<func::FuncOp>("forward");
  if (!initialize || !body)
    return emitError(module.getLoc())
           << "there is no training program to export: it has no @initialize, and @step or "
              "@forward (see the train dialect)";
  if (failed(verifyHasData(module)))
    return failure();
  warnOfWaitingPasses(module, TrainDialect::kAtLaunch,
                      "the number of ranks; to have them run, fix it first "
                      "(--specialize-world=ranks=N)");
  warnOfWaitingPasses(module, train::kAtBatch,
                      "the batch of a rank; to have them run, fix it first "
                      "(--train-specialize-batch)");
  try {
    ModelWriter writer(module, initialize, body);
    if (failed(writer.write()))
      return failure();
    return writer.serialize();
  } catch (const std::exception &error) {
    return emitError(module.getLoc()) << "the export failed: " << error.what();
  }
}
