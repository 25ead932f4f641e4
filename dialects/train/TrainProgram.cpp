// The contract of a training program: where roles may stand, and that its functions fit together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/train/EvaluationRoles.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/ValueRoles.h"
#include "dialects/train/VerifyProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tutti::train;

namespace {
/// One argument or result of a function, for checks and messages.
struct Position {
  mutable FunctionOpInterface function; // its accessors are not const
  unsigned index;
  bool isArgument;

  Type type() const {
    return isArgument ? function.getArgumentTypes()[index] : function.getResultTypes()[index];
  }
  DictionaryAttr attributes() const {
    return isArgument ? function.getArgAttrDict(index) : function.getResultAttrDict(index);
  }
  InFlightDiagnostic emitError() const {
    return function.emitError() << (isArgument ? "argument " : "result ") << index << " of @"
                                << function.getName() << ": ";
  }
};
} // namespace

static bool isRole(NamedAttribute attribute) {
  return attribute.getNameDialect() && isa<TrainDialect>(attribute.getNameDialect());
}

// program_c1
static LogicalResult verifyOneRole(const Position &position) {
  DictionaryAttr attributes = position.attributes();
  if (attributes && llvm::count_if(attributes, isRole) > 1)
    return position.emitError() << "has more than one role";
  return success();
}

template <typename AttributeKind>
static LogicalResult verifyKind(const Position &position, NamedAttribute role, StringRef expected) {
  if (isa<AttributeKind>(role.getValue()))
    return success();
  return position.emitError() << role.getName().getValue() << " must be " << expected << ", got "
                              << role.getValue();
}

// program_c12
static LogicalResult verifyAxis(const Position &position, InputAttr input) {
  auto type = dyn_cast<RankedTensorType>(position.type());
  if (input.getAxis() == 0 || (type && input.getAxis() < type.getRank()))
    return success();
  return position.emitError() << "samples cannot lie along dimension " << input.getAxis() << " of "
                              << position.type();
}

// program_c4
static LogicalResult verifyInput(const Position &position, NamedAttribute role) {
  if (failed(verifyKind<InputAttr>(position, role, "a #train.input")) ||
      failed(verifyAxis(position, cast<InputAttr>(role.getValue()))))
    return failure();
  auto dataset = cast<InputAttr>(role.getValue()).getDataset();
  if (SymbolTable::lookupNearestSymbolFrom<DatasetOp>(position.function, dataset))
    return success();
  return position.emitError() << "its dataset " << dataset
                              << " is not a train.dataset of this module";
}

// program_c5
static LogicalResult verifyHyperparameter(const Position &position, NamedAttribute role) {
  if (failed(verifyKind<HyperparameterAttr>(position, role, "a #train.hyperparameter")))
    return failure();
  auto type = dyn_cast<RankedTensorType>(position.type());
  if (type && type.getRank() == 0 && isa<FloatType>(type.getElementType()))
    return success();
  return position.emitError() << "a hyperparameter must be a scalar float tensor, got "
                              << position.type();
}

// program_c6
static LogicalResult verifyPart(const Position &position, VariableAttr variable) {
  if (variable.getPlacement() != VariablePlacement::Shard)
    return success();
  auto type = dyn_cast<RankedTensorType>(position.type());
  auto module = position.function->getParentOfType<ModuleOp>();
  auto parts = module ? module->getAttrOfType<IntegerAttr>(kTensorParts) : IntegerAttr();
  auto block = parts ? findTensorBlock(module, variable.getName()) : std::nullopt;
  if (block && *block != variable.getWhole() &&
      !isBlock(*block, variable.getWhole(), parts.getInt(),
               getTensorRanges(module, variable.getName())))
    return position.emitError() << "a block of shape [" << *block << "] is none of "
                                << parts.getInt() << " equal ones of [" << variable.getWhole()
                                << "]";
  if (parts && !block) {
    if (type && isBlock(type.getShape(), variable.getWhole(), parts.getInt(),
                        getTensorRanges(module, variable.getName())))
      return success();
    return position.emitError() << "a variable in " << parts.getInt()
                                << " parts must be one of as many equal blocks of a dimension, or "
                                   "of each of its ranges, got "
                                << position.type();
  }
  if (!type || type.getRank() != 1)
    return position.emitError() << "a sharded variable must be a tensor of one dimension, got "
                                << position.type();
  int64_t elements = ShapedType::getNumElements(block.value_or(variable.getWhole()));
  if (!type.hasStaticShape() || type.getNumElements() <= elements)
    return success();
  return position.emitError() << "a part of " << elements << " elements cannot have "
                              << type.getNumElements();
}

static LogicalResult verifyVariable(const Position &position, NamedAttribute role) {
  if (failed(verifyKind<VariableAttr>(position, role, "a #train.variable")))
    return failure();
  return verifyPart(position, cast<VariableAttr>(role.getValue()));
}

static LogicalResult verifyGradient(const Position &position, NamedAttribute role) {
  return tutti::train::verifyGradient(role.getValue(), position.type(),
                                      [&] { return position.emitError(); });
}

static LogicalResult verifyArgument(const Position &position, NamedAttribute role) {
  if (role.getName() == TrainDialect::kVariable)
    return verifyVariable(position, role);
  if (role.getName() == TrainDialect::kInput)
    return verifyInput(position, role);
  if (role.getName() == TrainDialect::kHyperparameter)
    return verifyHyperparameter(position, role);
  if (role.getName() == TrainDialect::kGradient)
    return verifyGradient(position, role);
  if (role.getName() == TrainDialect::kRandom)
    return verifyKind<RandomAttr>(position, role, "a #train.random");
  return position.emitError() << "an argument cannot be " << role.getName().getValue();
}

/// The type of the metric `name` among the results of the function; null if it has none.
static ShapedType typeOfMetric(FunctionOpInterface function, StringRef name) {
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    for (StringRef role : {StringRef(TrainDialect::kMetric), StringRef(kExponentialMetric),
                           StringRef(kSumMetric), StringRef(kAreaMetric)})
      if (auto found = function.getResultAttrOfType<StringAttr>(index, role))
        if (found.getValue() == name)
          return dyn_cast<ShapedType>(function.getResultTypes()[index]);
  return {};
}

/// How often the weights, or labels, of the function name `metric`.
static unsigned countNamed(FunctionOpInterface function, StringRef role, StringAttr metric) {
  unsigned count = 0;
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (auto names = function.getResultAttrOfType<ArrayAttr>(index, role))
      count += llvm::count(names, metric);
  return count;
}

/// Whether the values of type `own` can stand beside those of `metric`, one each.
static bool isAlike(Type own, ShapedType metric) {
  auto shaped = dyn_cast<ShapedType>(own);
  return metric && metric.hasRank() && shaped && shaped.hasRank() &&
         succeeded(verifyCompatibleShape(metric, shaped));
}

/// Calls `verify` with each name of a role that is an array of names of metrics.
static LogicalResult verifyNames(const Position &position, NamedAttribute role,
                                 llvm::function_ref<LogicalResult(StringAttr)> verify) {
  auto names = dyn_cast<ArrayAttr>(role.getValue());
  if (!names || names.empty() || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
    return position.emitError() << role.getName().getValue()
                                << " must be an array of names of metrics, got " << role.getValue();
  for (auto name : names.getAsRange<StringAttr>())
    if (failed(verify(name)))
      return failure();
  return success();
}

// program_c10
static LogicalResult verifyWeighed(const Position &position, StringAttr name) {
  if (!isAlike(position.type(), typeOfMetric(position.function, name)))
    return position.emitError() << "a weight of type " << position.type() << " cannot weigh "
                                << name << ", which must be a metric of this function and shape";
  if (countNamed(position.function, kMetricWeight, name) > 1)
    return position.emitError() << "the metric " << name << " has two weights";
  return success();
}

/// Whether `name` is a metric of the function whose area is reported.
static bool isAreaMetric(FunctionOpInterface function, StringAttr name) {
  return llvm::any_of(llvm::seq(function.getNumResults()), [&](unsigned index) {
    return function.getResultAttr(index, kAreaMetric) == name;
  });
}

// program_c11
static LogicalResult verifyLabelled(const Position &position, StringAttr name) {
  if (isAreaMetric(position.function, name) &&
      isAlike(position.type(), typeOfMetric(position.function, name)))
    return success();
  return position.emitError() << "labels of type " << position.type() << " cannot be those of "
                              << name << ", which must be a train.area_metric of this shape";
}

// program_c11
static LogicalResult verifyAreaMetric(const Position &position, NamedAttribute role) {
  if (failed(verifyKind<StringAttr>(position, role, "a string")))
    return failure();
  auto name = cast<StringAttr>(role.getValue());
  unsigned count = countNamed(position.function, kMetricLabel, name);
  if (count == 1)
    return success();
  return position.emitError() << "the metric " << name << " has " << count
                              << " labels; it needs one train.metric_label";
}

// program_c17
static LogicalResult verifyNumberOfBatch(const Position &position, NamedAttribute role) {
  auto type = dyn_cast<RankedTensorType>(position.type());
  if (!type || type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
    return position.emitError() << role.getName().getValue()
                                << " must be a scalar float tensor, got " << position.type();
  return verifyKind<StringAttr>(position, role, "a string");
}

static bool isRoleOfBatch(StringRef role) { return llvm::is_contained(kRolesOfBatch, role); }

static LogicalResult verifyEvaluationRole(const Position &position, NamedAttribute role) {
  if (position.function.getName() != "evaluate")
    return position.emitError() << role.getName().getValue() << " stands only on @evaluate";
  auto verifyEach = [&](auto verify) {
    return verifyNames(position, role, [&](StringAttr name) { return verify(position, name); });
  };
  if (role.getName() == kMetricWeight)
    return verifyEach(verifyWeighed);
  if (role.getName() == kMetricLabel)
    return verifyEach(verifyLabelled);
  if (role.getName() == kAreaMetric)
    return verifyAreaMetric(position, role);
  if (isRoleOfBatch(role.getName()))
    return verifyNumberOfBatch(position, role);
  return verifyKind<StringAttr>(position, role, "a string");
}

static LogicalResult verifyResult(const Position &position, NamedAttribute role) {
  if (role.getName() == TrainDialect::kVariable)
    return verifyVariable(position, role);
  if (role.getName() == TrainDialect::kMetric || role.getName() == TrainDialect::kOutput)
    return verifyKind<StringAttr>(position, role, "a string");
  if (role.getName() == TrainDialect::kGradient)
    return verifyGradient(position, role);
  if (isRoleOfBatch(role.getName()) ||
      llvm::is_contained({StringRef(kMetricWeight), StringRef(kExponentialMetric),
                          StringRef(kSumMetric), StringRef(kAreaMetric), StringRef(kMetricLabel)},
                         role.getName().strref()))
    return verifyEvaluationRole(position, role);
  return position.emitError() << "a result cannot be " << role.getName().getValue();
}

static FunctionOpInterface asFunction(Operation *op) { return dyn_cast<FunctionOpInterface>(op); }

LogicalResult TrainDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                     NamedAttribute role) {
  auto function = asFunction(op);
  if (!function)
    return op->emitError() << role.getName().getValue()
                           << " stands only on arguments and results of functions";
  Position position{function, index, /*isArgument=*/true};
  return failure(failed(verifyOneRole(position)) || failed(verifyArgument(position, role)));
}

LogicalResult TrainDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                        NamedAttribute role) {
  auto function = asFunction(op);
  if (!function)
    return op->emitError() << role.getName().getValue()
                           << " stands only on arguments and results of functions";
  Position position{function, index, /*isArgument=*/false};
  return failure(failed(verifyOneRole(position)) || failed(verifyResult(position, role)));
}

namespace {
struct Variable {
  VariableAttr attribute;
  Type type;
};
} // namespace

// program_c2
static LogicalResult collectVariables(FunctionOpInterface function, bool arguments,
                                      SmallVectorImpl<Variable> &variables) {
  llvm::StringSet<> names;
  unsigned count = arguments ? function.getNumArguments() : function.getNumResults();
  for (unsigned index = 0; index < count; ++index) {
    Position position{function, index, arguments};
    DictionaryAttr attributes = position.attributes();
    auto variable =
        attributes ? attributes.getAs<VariableAttr>(TrainDialect::kVariable) : VariableAttr();
    if (!variable)
      continue;
    if (!names.insert(variable.getName()).second)
      return position.emitError() << "there is another variable \"" << variable.getName() << "\"";
    variables.push_back({variable, position.type()});
  }
  return success();
}

// program_c3
static LogicalResult verifySameVariables(FunctionOpInterface step, StringRef verb,
                                         ArrayRef<Variable> expected, ArrayRef<Variable> found) {
  if (expected.size() != found.size())
    return step.emitError() << "@step must " << verb << " the " << expected.size()
                            << " variables of @initialize, but has " << found.size();
  for (auto [want, have] : llvm::zip_equal(expected, found))
    if (want.attribute != have.attribute || want.type != have.type)
      return step.emitError() << "@step must " << verb
                              << " the variables of @initialize in its order: expected "
                              << want.attribute << " : " << want.type << ", found "
                              << have.attribute << " : " << have.type;
  return success();
}

LogicalResult tutti::train::verifyProgram(ModuleOp module) {
  auto initialize = module.lookupSymbol<FunctionOpInterface>("initialize");
  auto step = module.lookupSymbol<FunctionOpInterface>("step");
  SmallVector<Variable> initial, taken, returned;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    SmallVector<Variable> ignored;
    if (failed(collectVariables(function, true, ignored)) ||
        failed(collectVariables(function, false, ignored)))
      return failure();
  }
  if (failed(verifyGradientsOf(module)))
    return failure();
  if (!initialize || !step)
    return success();
  (void)collectVariables(initialize, false, initial);
  (void)collectVariables(step, true, taken);
  (void)collectVariables(step, false, returned);
  return failure(failed(verifySameVariables(step, "take", initial, taken)) ||
                 failed(verifySameVariables(step, "return", initial, returned)));
}
