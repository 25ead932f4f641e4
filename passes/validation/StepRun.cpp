// Gives @step its arguments by their roles, and takes its results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/validation/StepRun.h"

#include "dialects/train/ProgramClaims.h"
#include "lib/program/MeshGroups.h"
#include "passes/specialize/Specialization.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::interpreter;
using namespace tutti::program;
using namespace tutti::validation;
using train::TrainDialect;

/// The shape of an input that holds all samples of a step.
static RankedTensorType typeOfBatch(RankedTensorType type, int64_t axis, int64_t samples) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = samples;
  return type.clone(shape);
}

/// Part `rank` of a value that is divided among ranks in row-major order, filled up with zeros.
static TensorRef partOf(const Tensor &whole, int64_t length, int64_t rank) {
  Tensor part{ArrayRef<int64_t>(length)};
  for (int64_t i = 0; i < length && rank * length + i < whole.size(); ++i)
    part.elements[i] = whole.elements[rank * length + i];
  return makeTensor(std::move(part));
}

/// For each element of block `index` of `parts`, which has the shape `part`, of each of `outer`
/// ranges of a value of the shape `whole`: its place in the block, and in the value. What a block
/// is filled up with has none.
static void forEachOfBlock(ArrayRef<int64_t> part, ArrayRef<int64_t> whole, int64_t index,
                           int64_t parts, int64_t outer,
                           llvm::function_ref<void(int64_t, int64_t)> visit) {
  int64_t dimension = train::findCutDimension(part, whole, parts), runs = outer, run = 1;
  if (dimension < 0)
    return;
  for (auto [i, size] : llvm::enumerate(part))
    (int64_t(i) < dimension ? runs : run) *= size;
  int64_t range = run / part[dimension] * whole[dimension] / outer;
  run /= outer;
  for (int64_t i = 0; i < runs; ++i)
    for (int64_t j = 0; j < run && index * run + j < range; ++j)
      visit(i * run + j, i * range + index * run + j);
}

void tutti::validation::putBlock(const Tensor &block, int64_t index, int64_t parts, int64_t outer,
                                 Tensor &whole) {
  forEachOfBlock(block.shape, whole.shape, index, parts, outer,
                 [&](int64_t from, int64_t to) { whole.elements[to] = block.elements[from]; });
}

/// Block `index` of `parts` of each of `outer` ranges of a value, of the shape `shape`.
static TensorRef blockOf(const Tensor &whole, ArrayRef<int64_t> shape, int64_t index, int64_t parts,
                         int64_t outer) {
  Tensor block(shape);
  forEachOfBlock(shape, whole.shape, index, parts, outer,
                 [&](int64_t to, int64_t from) { block.elements[to] = whole.elements[from]; });
  return makeTensor(std::move(block));
}

/// What `rank` holds of a variable in parts: its block, its part in row-major order, or that of its
/// block.
static TensorRef heldOf(const Tensor &whole, ModuleOp program, StringRef name,
                        ArrayRef<int64_t> shape, int64_t rank) {
  int64_t parts = partsOf(program);
  std::optional<ArrayRef<int64_t>> block = train::findTensorBlock(program, name);
  if (parts > 1 && !block)
    return blockOf(whole, shape, rank % parts, parts, train::getTensorRanges(program, name));
  if (!block || *block == ArrayRef(whole.shape))
    return partOf(whole, shape[0], rank / parts);
  return partOf(*blockOf(whole, *block, rank % parts, parts, train::getTensorRanges(program, name)),
                shape[0], rank / parts);
}

LogicalResult StepRun::begin(const Scenario &scenario, const Values *whole) {
  ModuleOp source = program.specialised();
  auto initialize = source.lookupSymbol<func::FuncOp>("initialize");
  LogicalResult result = success();
  visitResults<train::VariableAttr>(
      initialize, TrainDialect::kVariable, [&](unsigned index, train::VariableAttr role) {
        auto type = cast<RankedTensorType>(initialize.getResultTypes()[index]);
        TensorRef &value = last.variables[role.getName()];
        auto known = whole ? whole->find(role.getName()) : Values::const_iterator();
        if (whole && known != whole->end()) {
          bool isPart = role.getPlacement() == train::VariablePlacement::Shard;
          value = isPart
                      ? heldOf(*known->second, source, role.getName(), type.getShape(), place.rank)
                      : known->second;
        } else if (!whole && isa<FloatType>(type.getElementType())) {
          value = scenario.drawFloats(role.getName(), type.getShape());
        } else if (!(value = findInitial(initialize, index))) {
          result = emitError(initialize.getLoc())
                   << "the first value of variable '" << role.getName()
                   << "' is computed, which is not compared";
        }
      });
  return result;
}

FailureOr<std::vector<TensorRef>> StepRun::argumentsOf(func::FuncOp function,
                                                       const Scenario &scenario, int64_t number,
                                                       bool isSpoilt, int64_t samplesPerStep) {
  bool isOfWhole = specialize::takesWholeBatches(function);
  std::vector<TensorRef> arguments;
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto type = cast<RankedTensorType>(argument.getType());
    if (auto role = function.getArgAttrOfType<train::VariableAttr>(i, TrainDialect::kVariable)) {
      arguments.push_back(last.variables.lookup(role.getName()));
    } else if (auto input = function.getArgAttrOfType<train::InputAttr>(i, TrainDialect::kInput)) {
      if (isOfWhole) {
        arguments.push_back(scenario.drawInput(input.getName(), type, number, isSpoilt));
        continue;
      }
      TensorRef batch =
          scenario.drawInput(input.getName(), typeOfBatch(type, input.getAxis(), samplesPerStep),
                             number + 1000 * variation, isSpoilt);
      arguments.push_back(makeTensor(pickAlong(*batch, input.getAxis(), place.samples)));
    } else if (auto rate = function.getArgAttrOfType<train::HyperparameterAttr>(
                   i, TrainDialect::kHyperparameter)) {
      arguments.push_back(scenario.drawFloats(rate.getName(), type.getShape()));
    } else {
      return emitError(argument.getLoc()) << "argument " << i << " of @" << function.getName()
                                          << " has no role, so nobody knows what to give it";
    }
  }
  return arguments;
}

LogicalResult StepRun::runStep(const Scenario &scenario, Ranks &ranks, Servers &servers,
                               int64_t number, bool isSpoilt, int64_t samplesPerStep) {
  func::FuncOp step = program.step();
  FailureOr<std::vector<TensorRef>> arguments =
      argumentsOf(step, scenario, number, isSpoilt, samplesPerStep);
  if (failed(arguments))
    return failure();
  place.seed = scenario.seedOf(number);
  Machine machine(program.prepared(), ranks, place);
  machine.trace = isTraced ? &trace : nullptr;
  machine.tables = &servers.tables;
  FailureOr<std::vector<TensorRef>> results = machine.call(step, *arguments);
  if (failed(results))
    return failure();
  before = std::move(last.variables);
  last = StepResult();
  visitResults<train::VariableAttr>(step, TrainDialect::kVariable,
                                    [&](unsigned index, train::VariableAttr role) {
                                      last.variables[role.getName()] = (*results)[index];
                                    });
  visitResults<StringAttr>(step, TrainDialect::kMetric, [&](unsigned index, StringAttr name) {
    last.metrics[name.getValue()] = (*results)[index];
  });
  return success();
}

FailureOr<std::vector<TensorRef>> StepRun::evaluate(const Scenario &scenario, Ranks &ranks,
                                                    Servers &servers, int64_t number,
                                                    int64_t samplesPerStep) {
  func::FuncOp evaluate = program.evaluate();
  FailureOr<std::vector<TensorRef>> arguments =
      argumentsOf(evaluate, scenario, number, /*isSpoilt=*/false, samplesPerStep);
  if (failed(arguments))
    return failure();
  place.seed = scenario.seedOf(number);
  Machine machine(program.prepared(), ranks, place);
  machine.tables = &servers.tables;
  return machine.call(evaluate, *arguments);
}

void StepRun::goBack() {
  last.variables = before;
  isTraced = true;
}
