// The manifest of a compiled program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/execution/Manifest.h"

#include "dialects/collective/Collective.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/EvaluationRoles.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "lib/execution/IndexInputs.h"
#include "lib/program/BatchShare.h"
#include "lib/program/Groups.h"
#include "lib/program/MeshGroups.h"
#include "lib/program/plan/ServerPlan.h"
#include "tutti/context.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::execution;
using namespace tutti::train;
using namespace tutti::program;

namespace {

/// Writes the parts of one program's manifest.
class ManifestWriter {
public:
  explicit ManifestWriter(ModuleOp module) : module(module) {}
  LogicalResult write(const ManifestHeader &header, ArrayRef<PlanEntry> plan);
  manifest::Manifest manifest;

private:
  LogicalResult writeBatch(const ManifestHeader &header);
  void describeBlocks(manifest::Variable &variable, int64_t neighbours);
  LogicalResult writeVariables(func::FuncOp initialize);
  LogicalResult writeStep(func::FuncOp step);
  LogicalResult writeEvaluate(func::FuncOp evaluate);
  FailureOr<func::FuncOp> requireFunction(StringRef name);
  LogicalResult fill(manifest::Tensor &tensor, func::FuncOp function, StringRef name, Type type);
  LogicalResult fill(std::vector<manifest::Tensor> &inputs, func::FuncOp function);
  LogicalResult fill(std::vector<manifest::Hyperparameter> &parameters, func::FuncOp function);
  LogicalResult fill(std::vector<manifest::Tensor> &results, func::FuncOp function,
                     ArrayRef<StringRef> roles);
  LogicalResult fill(std::vector<manifest::Metric> &metrics, func::FuncOp evaluate);
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

LogicalResult ManifestWriter::fill(manifest::Tensor &tensor, func::FuncOp function, StringRef name,
                                   Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || numberOfType(ranked.getElementType()) == 0)
    return function.emitError("'") << name << "' of @" << function.getName() << " has type " << type
                                   << ", which the runtime does not have";
  tensor.name = name;
  tensor.type = numberOfType(ranked.getElementType());
  tensor.shape = ranked.getShape();
  return success();
}

static manifest::Placement placementOf(VariablePlacement placement) {
  switch (placement) {
  case VariablePlacement::Replicate:
    return manifest::Placement::replicate;
  case VariablePlacement::Shard:
    return manifest::Placement::shard;
  case VariablePlacement::PerRank:
    return manifest::Placement::per_rank;
  }
  llvm_unreachable("unknown placement");
}

/// How `neighbours`, and the ranks that hold the same block, divide a variable.
void ManifestWriter::describeBlocks(manifest::Variable &variable, int64_t neighbours) {
  std::optional<ArrayRef<int64_t>> block = findTensorBlock(module, variable.name);
  if (block)
    variable.parts = tutti::collective::lookupWorldSize(module).value_or(neighbours) / neighbours;
  int64_t dimension = findCutDimension(block.value_or(variable.shape), variable.whole, neighbours);
  bool isWhole = dimension < 0; // of which neighbours have the same part
  variable.blocks = isWhole ? 1 : neighbours;
  variable.dimension = isWhole ? 0 : dimension;
  variable.outer = getTensorRanges(module, variable.name);
}

LogicalResult ManifestWriter::writeVariables(func::FuncOp initialize) {
  for (unsigned index = 0; index < initialize.getNumResults(); ++index) {
    auto variable = initialize.getResultAttrOfType<VariableAttr>(index, TrainDialect::kVariable);
    if (!variable)
      return initialize.emitError("result ") << index << " of @initialize is not a variable";
    manifest::Variable &described = manifest.variables.emplace_back();
    if (failed(fill(described, initialize, variable.getName(), initialize.getResultTypes()[index])))
      return failure();
    described.kind = stringifyVariableClass(variable.getVariableClass());
    described.placement = placementOf(variable.getPlacement());
    if (variable.getPlacement() == VariablePlacement::Shard) {
      described.whole = variable.getWhole();
      if (int64_t neighbours = partsOf(module); neighbours > 1)
        describeBlocks(described, neighbours);
    }
    variableIndices[variable] = index;
  }
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

LogicalResult ManifestWriter::fill(std::vector<manifest::Tensor> &inputs, func::FuncOp function) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto input = function.getArgAttrOfType<InputAttr>(index, TrainDialect::kInput);
    if (!input)
      continue;
    manifest::Tensor &described = inputs.emplace_back();
    if (failed(fill(described, function, input.getName(), function.getArgumentTypes()[index])))
      return failure();
    described.axis = input.getAxis();
    described.indices = findIndexBounds(function.getArgument(index));
    described.holds_labels = holdsLabels(module, input.getName());
  }
  return success();
}

LogicalResult ManifestWriter::fill(std::vector<manifest::Hyperparameter> &parameters,
                                   func::FuncOp function) {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto parameter =
        function.getArgAttrOfType<HyperparameterAttr>(index, TrainDialect::kHyperparameter);
    if (!parameter)
      continue;
    manifest::Hyperparameter &described = parameters.emplace_back();
    described.value = parameter.getValue().getValueAsDouble();
    if (failed(fill(described.tensor, function, parameter.getName(),
                    function.getArgumentTypes()[index])))
      return failure();
  }
  return success();
}

LogicalResult ManifestWriter::fill(std::vector<manifest::Tensor> &results, func::FuncOp function,
                                   ArrayRef<StringRef> roles) {
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    Attribute found;
    for (StringRef role : roles)
      found = found ? found : function.getResultAttr(index, role);
    if (!found)
      continue;
    auto name = dyn_cast<StringAttr>(found); // a gradient may have none
    if (failed(fill(results.emplace_back(), function, name ? name.getValue() : "gradient",
                    function.getResultTypes()[index])))
      return failure();
  }
  return success();
}

/// Gives the metrics that result `index` of @evaluate names in `role` its place, as their `member`.
static void noteNamed(func::FuncOp evaluate, unsigned index, StringRef role,
                      std::optional<int64_t> manifest::Metric::*member,
                      std::vector<manifest::Metric> &metrics) {
  auto names = evaluate.getResultAttrOfType<ArrayAttr>(index, role);
  if (!names)
    return;
  for (manifest::Metric &metric : metrics)
    for (auto name : names.getAsRange<StringAttr>())
      if (metric.name == name.getValue())
        metric.*member = index;
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

/// How numbers of batches are combined, of a metric that is one.
static manifest::Metric::Batches combinationOf(func::FuncOp evaluate, unsigned index) {
  using Batches = manifest::Metric::Batches;
  constexpr std::pair<StringLiteral, Batches> combinations[] = {
      {kMeanOfBatch, Batches::mean},
      {kSumOfBatch, Batches::sum},
      {kMaximumOfBatch, Batches::maximum},
      {kMinimumOfBatch, Batches::minimum},
      {kNumberOfWholeBatch, Batches::whole}};
  for (auto [role, batches] : combinations)
    if (evaluate.getResultAttr(index, role))
      return batches;
  return Batches::none;
}

/// All results of @evaluate, in order: metrics, what weighs them, and labels.
LogicalResult ManifestWriter::fill(std::vector<manifest::Metric> &metrics, func::FuncOp evaluate) {
  for (auto [index, type] : llvm::enumerate(evaluate.getResultTypes())) {
    StringRef name = nameOfEvaluated(evaluate, index);
    if (name.empty())
      return evaluate.emitError("result ") << index << " of @evaluate is not a metric";
    manifest::Metric &metric = metrics.emplace_back();
    if (failed(fill(metric, evaluate, name, type)))
      return failure();
    metric.is_exponential = bool(evaluate.getResultAttr(index, kExponentialMetric));
    metric.is_sum = bool(evaluate.getResultAttr(index, kSumMetric));
    metric.batches = combinationOf(evaluate, index);
  }
  for (unsigned index = 0; index < evaluate.getNumResults(); ++index) {
    noteNamed(evaluate, index, kMetricWeight, &manifest::Metric::weight, metrics);
    noteNamed(evaluate, index, kMetricLabel, &manifest::Metric::label, metrics);
  }
  return success();
}

LogicalResult ManifestWriter::writeStep(func::FuncOp step) {
  manifest::Step &described = manifest.step;
  if (failed(fill(described.inputs, step)) || failed(fill(described.hyperparameters, step)) ||
      failed(fill(described.metrics, step, StringRef(TrainDialect::kMetric))) ||
      failed(fill(described.outputs, step, {TrainDialect::kOutput, TrainDialect::kGradient})))
    return failure();
  return checkOrder(step);
}

LogicalResult ManifestWriter::writeEvaluate(func::FuncOp evaluate) {
  manifest::Evaluation &described = manifest.evaluate.emplace();
  if (failed(fill(described.inputs, evaluate)) || failed(fill(described.metrics, evaluate)))
    return failure();
  for (unsigned index = 0; index < evaluate.getNumArguments(); ++index)
    if (Attribute variable = evaluate.getArgAttr(index, TrainDialect::kVariable)) {
      auto found = variableIndices.find(variable);
      if (found == variableIndices.end())
        return evaluate.emitError("argument ")
               << index << " of @evaluate is " << variable << ", which @initialize does not make";
      described.variables.push_back(found->second);
    }
  // The batch is what is fed in, along its samples.
  described.batch = 0;
  for (unsigned index = 0; index < evaluate.getNumArguments(); ++index)
    if (auto input = evaluate.getArgAttrOfType<InputAttr>(index, TrainDialect::kInput))
      described.batch =
          cast<RankedTensorType>(evaluate.getArgumentTypes()[index]).getDimSize(input.getAxis());
  return checkOrder(evaluate);
}

static int32_t numberOf(ShardMode mode) {
  return mode == ShardMode::Strided ? TUTTI_SHARD_STRIDED : TUTTI_SHARD_CONTIGUOUS;
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
  manifest.batch_policy = "error";
  if (!datasets.empty()) {
    DatasetOp dataset = *datasets.begin();
    FailureOr<BatchShare> found = shareOf(dataset, header.isCeil);
    if (failed(found))
      return failure();
    share = *found;
    if (ShardAttr shard = dataset.getShardAttr()) {
      manifest.batch_policy = stringifyBatchPolicy(shard.getPolicy());
      manifest.shard = numberOf(shard.getMode());
    } else {
      share.ranks = ranks.value_or(1); // each of which sees every sample
    }
  }
  if (auto parts = module->getAttrOfType<IntegerAttr>(kTensorParts)) {
    manifest.neighbours = parts.getInt(); // who share a batch as one rank does
    share.ranks = ranks.value_or(1);
  }
  manifest.ranks = share.ranks;
  manifest.global_batch = share.globalBatch;
  manifest.local_batch = share.localBatch;
  manifest.samples_per_step = share.samplesPerStep;
  return success();
}

/// What the rows of a table are at first.
static manifest::InitialRows initialOf(ps::TableOp table) {
  using Distribution = manifest::InitialRows::Distribution;
  if (auto equal = dyn_cast<SplatElementsAttr>(table.getInitial())) {
    double value = equal.getSplatValue<APFloat>().convertToDouble();
    return {Distribution::uniform, value, value};
  }
  auto random = dyn_cast<ps::RandomAttr>(table.getInitial());
  if (!random)
    return {}; // to the servers, with the program
  return {random.getDistribution() == ps::Distribution::Uniform ? Distribution::uniform
                                                                : Distribution::normal,
          random.getFirst().getValueAsDouble(), random.getSecond().getValueAsDouble()};
}

static manifest::Table::Wire wireOf(ps::TableOp table) {
  using Wire = manifest::Table::Wire;
  if (!table.getWire())
    return Wire::none;
  return table.getWire()->isBF16() ? Wire::bf16 : Wire::f16;
}

/// The tables that servers hold, in the order of their numbers.
LogicalResult ManifestWriter::writeTables() {
  std::vector<TablePlan> plans = extractServerPlan(module);
  for (auto table : module.getOps<ps::TableOp>()) {
    int32_t type = numberOfType(table.getType().getElementType());
    if (type == 0)
      return table.emitOpError("has element type ")
             << table.getType().getElementType() << ", which the runtime does not have";
    manifest::Table &described = manifest.tables.emplace_back();
    described.name = table.getSymName();
    described.type = type;
    described.shape = table.getType().getShape();
    described.initial = initialOf(table);
    for (auto state : table.getStates().getAsRange<ps::StateAttr>())
      described.states.push_back({state.getName().str(), state.getValue().getValueAsDouble(),
                                  state.getExtent() == ps::Extent::Row});
    described.placement = table.getPlacement() == ps::Placement::Hash
                              ? manifest::Table::Placement::hash
                              : manifest::Table::Placement::range;
    described.is_mean = table.getReduction() == ps::Reduction::Mean;
    described.neighbours = table.countNeighbours();
    described.is_whole = table.getWhole();
    described.is_asynchronous = table.getAsynchronous();
    described.staleness = table.getStaleness() ? int64_t(*table.getStaleness()) : -1;
    described.warm_up = table.getWarmUp() ? int64_t(*table.getWarmUp()) : 0;
    described.wire = wireOf(table);
    described.line = describe(plans[manifest.tables.size() - 1]);
  }
  return success();
}

LogicalResult ManifestWriter::write(const ManifestHeader &header, ArrayRef<PlanEntry> plan) {
  manifest.abi = TUTTI_ABI_VERSION;
  manifest.program = header.name;
  manifest.fingerprint = header.fingerprint;
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
  FailureOr<std::vector<manifest::Group>> groups = extractGroups(module);
  if (failed(groups))
    return failure();
  manifest.groups = std::move(*groups);
  manifest.plan = plan;
  manifest.plan_hash = hashPlan(plan);
  return success();
}

} // namespace

FailureOr<manifest::Manifest> tutti::execution::createManifest(ModuleOp module,
                                                               const ManifestHeader &header,
                                                               ArrayRef<PlanEntry> plan) {
  ManifestWriter writer(module);
  if (failed(writer.write(header, plan)))
    return failure();
  return std::move(writer.manifest);
}
