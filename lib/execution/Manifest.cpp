// The manifest of a compiled program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Manifest.h"

#include "dialects/collective/Collective.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/EvaluationRoles.h"
#include "dialects/train/Train.h"
#include "lib/execution/IndexInputs.h"
#include "lib/program/BatchShare.h"
#include "lib/program/Groups.h"
#include "lib/program/plan/ServerPlan.h"
#include "tutti/context.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::execution;
using namespace tutti::train;
using namespace tutti::program;
namespace json = llvm::json;

namespace {

/// Writes the parts of one program's manifest.
class ManifestWriter {
public:
  explicit ManifestWriter(ModuleOp module) : module(module) {}
  LogicalResult write(const ManifestHeader &header, ArrayRef<PlanEntry> plan);
  json::Object manifest;

private:
  LogicalResult writeBatch(const ManifestHeader &header);
  LogicalResult writeVariables(func::FuncOp initialize);
  LogicalResult writeStep(func::FuncOp step);
  LogicalResult writeEvaluate(func::FuncOp evaluate);
  FailureOr<func::FuncOp> requireFunction(StringRef name);
  FailureOr<json::Object> describeTensor(func::FuncOp function, StringRef name, Type type);
  FailureOr<json::Array> describeArguments(func::FuncOp function);
  FailureOr<json::Array> describeHyperparameters(func::FuncOp function);
  FailureOr<json::Array> describeResults(func::FuncOp function, ArrayRef<StringRef> roles);
  FailureOr<json::Array> describeEvaluation(func::FuncOp evaluate);
  LogicalResult checkFed(func::FuncOp function);
  LogicalResult checkOrder(func::FuncOp function);
  LogicalResult writeTables();

  ModuleOp module;
  llvm::DenseMap<Attribute, int64_t> variableIndices;
};

FailureOr<func::FuncOp> ManifestWriter::requireFunction(StringRef name) {
  if (auto function = module.lookupSymbol<func::FuncOp>(name))
    return function;
  return module.emitError("the program has no @") << name << ", so it cannot be run";
}

FailureOr<json::Object> ManifestWriter::describeTensor(func::FuncOp function, StringRef name,
                                                       Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || spellType(tensor.getElementType()).empty())
    return function.emitError("'") << name << "' of @" << function.getName() << " has type " << type
                                   << ", which the runtime does not have";
  return json::Object{{"name", name},
                      {"type", spellType(tensor.getElementType())},
                      {"shape", json::Array(tensor.getShape())}};
}

LogicalResult ManifestWriter::writeVariables(func::FuncOp initialize) {
  json::Array variables;
  for (unsigned index = 0; index < initialize.getNumResults(); ++index) {
    auto variable = initialize.getResultAttrOfType<VariableAttr>(index, TrainDialect::kVariable);
    if (!variable)
      return initialize.emitError("result ") << index << " of @initialize is not a variable";
    auto described =
        describeTensor(initialize, variable.getName(), initialize.getResultTypes()[index]);
    if (failed(described))
      return failure();
    (*described)["class"] = stringifyVariableClass(variable.getVariableClass());
    (*described)["placement"] = stringifyVariablePlacement(variable.getPlacement());
    if (variable.getPlacement() == VariablePlacement::Shard)
      (*described)["whole"] = json::Array(variable.getWhole());
    variableIndices[variable] = index;
    variables.push_back(std::move(*described));
  }
  manifest["variables"] = std::move(variables);
  return success();
}

/// Seeds, drawn numbers and gradients that a function takes are for those who call it themselves.
LogicalResult ManifestWriter::checkFed(func::FuncOp function) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    for (StringRef role : {TrainDialect::kRandom, TrainDialect::kGradient})
      if (function.getArgAttr(index, role))
        return function.emitError("argument ")
               << index << " of @" << function.getName() << " is " << role
               << ", and the runtime has none to give: it feeds variables, inputs of a dataset and "
                  "hyperparameters";
  return success();
}

/// Variables, then inputs, then hyperparameters: the order in which the runtime passes them.
LogicalResult ManifestWriter::checkOrder(func::FuncOp function) {
  static constexpr StringRef roles[] = {TrainDialect::kVariable, TrainDialect::kInput,
                                        TrainDialect::kHyperparameter};
  if (failed(checkFed(function)))
    return failure();
  unsigned current = 0;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    while (current < std::size(roles) && !function.getArgAttr(index, roles[current]))
      ++current;
    if (current == std::size(roles))
      return function.emitError("argument ") << index << " of @" << function.getName()
                                             << " has no role or stands out of order: variables "
                                                "come first, then inputs, then hyperparameters";
  }
  return success();
}

/// What an input can hold that is used as indices; empty for others.
static json::Array describeBounds(Value input) {
  json::Array described;
  for (const IndexBounds &bounds : findIndexBounds(input)) {
    json::Object entry{{"low", bounds.low},
                       {"high", bounds.high},
                       {"of", bounds.isClass ? "classes" : "entries"},
                       {"node", bounds.node}};
    if (bounds.ignored)
      entry["ignored"] = *bounds.ignored;
    described.push_back(std::move(entry));
  }
  return described;
}

/// Whether @evaluate takes the input `name` as the labels of an area.
static bool holdsLabels(ModuleOp module, StringRef name) {
  auto evaluate = module.lookupSymbol<func::FuncOp>("evaluate");
  if (!evaluate || evaluate.isDeclaration())
    return false;
  auto returned = evaluate.front().getTerminator()->getOperands();
  for (auto [index, value] : llvm::enumerate(returned))
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && evaluate.getResultAttr(index, kMetricLabel))
      if (auto input =
              evaluate.getArgAttrOfType<InputAttr>(argument.getArgNumber(), TrainDialect::kInput))
        if (input.getName() == name)
          return true;
  return false;
}

FailureOr<json::Array> ManifestWriter::describeArguments(func::FuncOp function) {
  json::Array inputs;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto input = function.getArgAttrOfType<InputAttr>(index, TrainDialect::kInput);
    if (!input)
      continue;
    auto described = describeTensor(function, input.getName(), function.getArgumentTypes()[index]);
    if (failed(described))
      return failure();
    if (input.getAxis() != 0)
      (*described)["axis"] = input.getAxis();
    if (json::Array bounds = describeBounds(function.getArgument(index)); !bounds.empty())
      (*described)["indices"] = std::move(bounds);
    if (holdsLabels(module, input.getName()))
      (*described)["labels"] = true;
    inputs.push_back(std::move(*described));
  }
  return inputs;
}

FailureOr<json::Array> ManifestWriter::describeHyperparameters(func::FuncOp function) {
  json::Array parameters;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto parameter =
        function.getArgAttrOfType<HyperparameterAttr>(index, TrainDialect::kHyperparameter);
    if (!parameter)
      continue;
    auto described =
        describeTensor(function, parameter.getName(), function.getArgumentTypes()[index]);
    if (failed(described))
      return failure();
    (*described)["value"] = parameter.getValue().getValueAsDouble();
    parameters.push_back(std::move(*described));
  }
  return parameters;
}

FailureOr<json::Array> ManifestWriter::describeResults(func::FuncOp function,
                                                       ArrayRef<StringRef> roles) {
  json::Array results;
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    Attribute found;
    for (StringRef role : roles)
      found = found ? found : function.getResultAttr(index, role);
    if (!found)
      continue;
    auto name = dyn_cast<StringAttr>(found); // a gradient may have none
    auto described = describeTensor(function, name ? name.getValue() : "gradient",
                                    function.getResultTypes()[index]);
    if (failed(described))
      return failure();
    results.push_back(std::move(*described));
  }
  return results;
}

/// Gives the metrics that result `index` of @evaluate names in `role` its place among `metrics`, as
/// their `field`.
static void noteNamed(func::FuncOp evaluate, unsigned index, StringRef role, StringRef field,
                      json::Array &metrics) {
  auto names = evaluate.getResultAttrOfType<ArrayAttr>(index, role);
  if (!names)
    return;
  int64_t place = index;
  for (json::Value &metric : metrics)
    for (auto name : names.getAsRange<StringAttr>())
      if (metric.getAsObject()->getString("name") == name.getValue())
        (*metric.getAsObject())[field] = place;
}

/// What result `index` of @evaluate is called in the manifest; empty if it has none of its roles.
static StringRef nameOfEvaluated(func::FuncOp evaluate, unsigned index) {
  for (StringRef role : {StringRef(TrainDialect::kMetric), StringRef(kExponentialMetric),
                         StringRef(kSumMetric), StringRef(kAreaMetric)})
    if (auto name = evaluate.getResultAttrOfType<StringAttr>(index, role))
      return name;
  for (StringRef role : kRolesOfBatch)
    if (auto name = evaluate.getResultAttrOfType<StringAttr>(index, role))
      return name;
  return evaluate.getResultAttr(index, kMetricWeight)  ? "weight"
         : evaluate.getResultAttr(index, kMetricLabel) ? "label"
                                                       : "";
}

/// How numbers of batches are combined, of a metric that is one; else empty.
static StringRef combinationOf(func::FuncOp evaluate, unsigned index) {
  constexpr std::pair<StringLiteral, StringLiteral> words[] = {{kMeanOfBatch, "mean"},
                                                               {kSumOfBatch, "sum"},
                                                               {kMaximumOfBatch, "max"},
                                                               {kMinimumOfBatch, "min"},
                                                               {kNumberOfWholeBatch, "whole"}};
  for (auto [role, word] : words)
    if (evaluate.getResultAttr(index, role))
      return word;
  return "";
}

/// All results of @evaluate, in order: metrics, what weighs them, and labels.
FailureOr<json::Array> ManifestWriter::describeEvaluation(func::FuncOp evaluate) {
  json::Array metrics;
  for (auto [index, type] : llvm::enumerate(evaluate.getResultTypes())) {
    StringRef name = nameOfEvaluated(evaluate, index);
    if (name.empty())
      return evaluate.emitError("result ") << index << " of @evaluate is not a metric";
    auto described = describeTensor(evaluate, name, type);
    if (failed(described))
      return failure();
    if (evaluate.getResultAttr(index, kExponentialMetric))
      (*described)["exponential"] = true;
    if (evaluate.getResultAttr(index, kSumMetric))
      (*described)["sum"] = true;
    if (StringRef combined = combinationOf(evaluate, index); !combined.empty())
      (*described)["batches"] = combined;
    metrics.push_back(std::move(*described));
  }
  for (unsigned index = 0; index < evaluate.getNumResults(); ++index) {
    noteNamed(evaluate, index, kMetricWeight, "weight", metrics);
    noteNamed(evaluate, index, kMetricLabel, "label", metrics);
  }
  return metrics;
}

LogicalResult ManifestWriter::writeStep(func::FuncOp step) {
  auto inputs = describeArguments(step);
  auto hyperparameters = describeHyperparameters(step);
  auto metrics = describeResults(step, StringRef(TrainDialect::kMetric));
  auto outputs = describeResults(step, {TrainDialect::kOutput, TrainDialect::kGradient});
  if (failed(inputs) || failed(hyperparameters) || failed(metrics) || failed(outputs))
    return failure();
  manifest["step"] = json::Object{{"inputs", std::move(*inputs)},
                                  {"hyperparameters", std::move(*hyperparameters)},
                                  {"metrics", std::move(*metrics)},
                                  {"outputs", std::move(*outputs)}};
  return checkOrder(step);
}

LogicalResult ManifestWriter::writeEvaluate(func::FuncOp evaluate) {
  auto inputs = describeArguments(evaluate);
  auto metrics = describeEvaluation(evaluate);
  if (failed(inputs) || failed(metrics))
    return failure();
  json::Array variables;
  for (unsigned index = 0; index < evaluate.getNumArguments(); ++index)
    if (Attribute variable = evaluate.getArgAttr(index, TrainDialect::kVariable)) {
      auto found = variableIndices.find(variable);
      if (found == variableIndices.end())
        return evaluate.emitError("argument ")
               << index << " of @evaluate is " << variable << ", which @initialize does not make";
      variables.push_back(found->second);
    }
  // The batch is what is fed in, along its samples.
  int64_t batch = 0;
  for (unsigned index = 0; index < evaluate.getNumArguments(); ++index)
    if (auto input = evaluate.getArgAttrOfType<InputAttr>(index, TrainDialect::kInput))
      batch =
          cast<RankedTensorType>(evaluate.getArgumentTypes()[index]).getDimSize(input.getAxis());
  manifest["evaluate"] = json::Object{{"variables", std::move(variables)},
                                      {"batch", batch},
                                      {"inputs", std::move(*inputs)},
                                      {"metrics", std::move(*metrics)}};
  return checkOrder(evaluate);
}

LogicalResult ManifestWriter::writeBatch(const ManifestHeader &header) {
  auto datasets = module.getOps<DatasetOp>();
  if (std::distance(datasets.begin(), datasets.end()) > 1)
    return (*std::next(datasets.begin()))
        .emitOpError("is a second dataset; a program that is run has one");
  // Without data every rank counts as one sample of a step.
  BatchShare share{1, 1, 1, 1};
  std::optional<int64_t> ranks = tutti::collective::lookupWorldSize(module);
  share.ranks = ranks.value_or(1);
  StringRef policy = "error", mode = "none";
  if (!datasets.empty()) {
    DatasetOp dataset = *datasets.begin();
    FailureOr<BatchShare> found = shareOf(dataset, header.isCeil);
    if (failed(found))
      return failure();
    share = *found;
    if (ShardAttr shard = dataset.getShardAttr()) {
      policy = stringifyBatchPolicy(shard.getPolicy());
      mode = stringifyShardMode(shard.getMode());
    } else {
      share.ranks = ranks.value_or(1); // each of which sees every sample
    }
  }
  manifest["ranks"] = share.ranks;
  manifest["global_batch"] = share.globalBatch;
  manifest["local_batch"] = share.localBatch;
  manifest["samples_per_step"] = share.samplesPerStep;
  manifest["batch_policy"] = policy;
  manifest["shard"] = mode;
  return success();
}

/// What the rows of a table are at first.
static json::Object describeInitial(ps::TableOp table) {
  if (auto equal = dyn_cast<SplatElementsAttr>(table.getInitial())) {
    double value = equal.getSplatValue<APFloat>().convertToDouble();
    return json::Object{{"distribution", "uniform"}, {"first", value}, {"second", value}};
  }
  auto random = dyn_cast<ps::RandomAttr>(table.getInitial());
  if (!random)
    return json::Object{{"distribution", "given"}}; // to the servers, with the program
  return json::Object{{"distribution", ps::stringifyDistribution(random.getDistribution())},
                      {"first", random.getFirst().getValueAsDouble()},
                      {"second", random.getSecond().getValueAsDouble()}};
}

static json::Array describeStates(ps::TableOp table) {
  json::Array states;
  for (auto state : table.getStates().getAsRange<ps::StateAttr>())
    states.push_back(json::Object{{"name", state.getName()},
                                  {"value", state.getValue().getValueAsDouble()},
                                  {"per", ps::stringifyExtent(state.getExtent())}});
  return states;
}

/// The tables that servers hold, in the order of their numbers.
LogicalResult ManifestWriter::writeTables() {
  json::Array tables;
  std::vector<TablePlan> plans = extractServerPlan(module);
  for (auto table : module.getOps<ps::TableOp>()) {
    StringRef type = spellType(table.getType().getElementType());
    if (type.empty())
      return table.emitOpError("has element type ")
             << table.getType().getElementType() << ", which the runtime does not have";
    int64_t staleness = table.getStaleness() ? int64_t(*table.getStaleness()) : -1;
    int64_t warmUp = table.getWarmUp() ? int64_t(*table.getWarmUp()) : 0;
    tables.push_back(json::Object{{"name", table.getSymName()},
                                  {"type", type},
                                  {"shape", json::Array(table.getType().getShape())},
                                  {"initial", describeInitial(table)},
                                  {"states", describeStates(table)},
                                  {"placement", ps::stringifyPlacement(table.getPlacement())},
                                  {"reduction", ps::stringifyReduction(table.getReduction())},
                                  {"whole", table.getWhole()},
                                  {"asynchronous", table.getAsynchronous()},
                                  {"staleness", staleness},
                                  {"warm_up", warmUp},
                                  {"wire", table.getWire() ? spellType(*table.getWire()) : "none"},
                                  {"plan", describe(plans[tables.size()])}});
  }
  if (!tables.empty())
    manifest["tables"] = std::move(tables);
  return success();
}

LogicalResult ManifestWriter::write(const ManifestHeader &header, ArrayRef<PlanEntry> plan) {
  manifest["abi"] = TUTTI_ABI_VERSION;
  manifest["program"] = header.name;
  manifest["fingerprint"] = header.fingerprint;
  FailureOr<func::FuncOp> initialize = requireFunction("initialize"),
                          step = requireFunction("step");
  if (failed(initialize) || failed(step) || failed(writeBatch(header)) ||
      failed(writeVariables(*initialize)) || failed(writeStep(*step)))
    return failure();
  if (auto evaluate = module.lookupSymbol<func::FuncOp>("evaluate"))
    if (failed(writeEvaluate(evaluate)))
      return failure();
  if (failed(writeTables()))
    return failure();
  FailureOr<std::vector<GroupEntry>> groups = extractGroups(module);
  if (failed(groups))
    return failure();
  json::Array entries, described;
  for (const GroupEntry &group : *groups)
    described.push_back(toJson(group));
  for (const PlanEntry &entry : plan)
    entries.push_back(toJson(entry));
  manifest["groups"] = std::move(described);
  manifest["plan"] = std::move(entries);
  manifest["plan_hash"] = hashPlan(plan);
  return success();
}

} // namespace

FailureOr<json::Object> tutti::execution::createManifest(ModuleOp module,
                                                         const ManifestHeader &header,
                                                         ArrayRef<PlanEntry> plan) {
  ManifestWriter writer(module);
  if (failed(writer.write(header, plan)))
    return failure();
  return std::move(writer.manifest);
}

/// The constants that take-values-out has left to the host.
static json::Array describeValues(ModuleOp lowered) {
  json::Array values;
  if (auto taken = lowered->getAttrOfType<ArrayAttr>("kernel.values"))
    for (auto value : taken.getAsRange<DictionaryAttr>())
      values.push_back(json::Object{{"name", value.getAs<StringAttr>("name").getValue()},
                                    {"bytes", value.getAs<IntegerAttr>("bytes").getInt()},
                                    {"initial", value.getAs<BoolAttr>("initial").getValue()}});
  return values;
}

/// The layout of an arena as the pass lower-plan-memory recorded it.
static json::Array describeLayout(ArrayAttr layout) {
  json::Array buffers;
  for (auto buffer : layout.getAsRange<ArrayAttr>()) {
    auto place = cast<DenseI64ArrayAttr>(buffer[1]).asArrayRef();
    buffers.push_back(json::Array{json::fixUTF8(cast<StringAttr>(buffer[0]).getValue()), place[0],
                                  place[1], place[2], place[3]});
  }
  return buffers;
}

void tutti::execution::addLowered(json::Object &manifest, ModuleOp lowered) {
  json::Object arenas, layouts;
  for (StringRef name : {"initialize", "step", "evaluate", "prefetch"}) {
    Operation *function = lowered.lookupSymbol(name);
    auto bytes =
        function ? function->getAttrOfType<IntegerAttr>("kernel.arena_bytes") : IntegerAttr();
    arenas[name] = bytes ? bytes.getInt() : 0;
    if (auto layout =
            function ? function->getAttrOfType<ArrayAttr>("kernel.arena_layout") : nullptr)
      layouts[name] = describeLayout(layout);
  }
  if (!layouts.empty())
    manifest["layout"] = std::move(layouts);
  manifest["arena"] = std::move(arenas);
  if (Operation *step = lowered.lookupSymbol("step"))
    if (auto repeated = step->getAttrOfType<IntegerAttr>("kernel.repeated"))
      manifest["repeated"] = repeated.getInt();
  manifest["values"] = describeValues(lowered);
}
