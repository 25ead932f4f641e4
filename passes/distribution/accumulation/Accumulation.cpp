// What a step carries from one micro-batch to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/accumulation/Accumulation.h"

#include "dialects/train/Train.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/program/gradients/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;
using tutti::train::TrainDialect;
using Kind = CarriedValue::Kind;

/// Marked gradients, those of optimizers that are not computed from marked ones, and those of
/// servers.
static SmallVector<Value> findGradients(func::FuncOp step, const ServedRows &served) {
  SmallVector<Value> gradients;
  for (const Gradient &gradient : Gradients::findMarked(step))
    gradients.push_back(gradient.value);
  llvm::DenseSet<Value> ofMarked = findDependents(step.getBody().front(), gradients);
  for (const Gradient &gradient : Gradients::findOptimized(step))
    if (!ofMarked.contains(gradient.value))
      gradients.push_back(gradient.value);
  llvm::append_range(gradients, served.getGradients(step));
  return gradients;
}

static bool isStaticFloat(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && isa<FloatType>(type.getElementType());
}

static bool isFloatScalar(Value value) {
  return isStaticFloat(value) && cast<RankedTensorType>(value.getType()).getRank() == 0;
}

static bool hasRows(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 && type.isDynamicDim(0);
}

/// Which result of @step, if any, `use` is: 'metric "loss"'.
static std::string nameOfReturned(func::FuncOp step, OpOperand &use) {
  for (StringRef role : {TrainDialect::kMetric, TrainDialect::kOutput})
    if (auto name = step.getResultAttrOfType<StringAttr>(use.getOperandNumber(), role))
      return (role.drop_front(role.find('.') + 1) + " \"" + name.getValue() + "\"").str();
  return "a result of @step";
}

static LogicalResult checkInputs(func::FuncOp step) {
  bool hasInputs = false;
  for (BlockArgument argument : step.getArguments()) {
    train::InputAttr input = findReadInput(argument);
    hasInputs |= bool(input);
    if (input && input.getAxis() != 0)
      return mlir::emitError(step.getLoc())
             << "input '" << input.getName() << "' of @step has its samples along dimension "
             << input.getAxis() << ", and micro-batches are cut along dimension 0: transpose it";
    if (!input || hasRows(argument))
      continue;
    return mlir::emitError(step.getLoc())
           << "input '" << input.getName() << "' of @step is " << argument.getType()
           << ", which cannot be cut into micro-batches; export the model with a symbolic batch";
  }
  if (hasInputs)
    return success();
  return mlir::emitError(step.getLoc()) << "@step reads no dataset: there is no batch to divide";
}

static LogicalResult checkStep(Program program, ArrayRef<Value> gradients) {
  Location loc = program.step.getLoc();
  if (gradients.empty())
    return mlir::emitError(loc) << "has no gradient to accumulate: it holds no optimizer "
                                   "operation; mark gradients with train.mark_gradient or the "
                                   "attribute train.gradient";
  return checkInputs(program.step);
}

LogicalResult Accumulation::checkNone(func::FuncOp step) {
  WalkResult found = step.walk([](train::MicroBatchOp) { return WalkResult::interrupt(); });
  if (found.wasInterrupted())
    return mlir::emitError(step.getLoc()) << "accumulates gradients of micro-batches already";
  return success();
}

static LogicalResult emitNoMean(func::FuncOp step, const BatchWork &work, Value value) {
  for (OpOperand &use : value.getUses())
    if (!work.contains(use.getOwner()))
      return mlir::emitError(value.getLoc())
             << (use.getOwner()->hasTrait<OpTrait::ReturnLike>()
                     ? nameOfReturned(step, use)
                     : ("what '" + use.getOwner()->getName().getStringRef() + "' takes").str())
             << " is " << value.getType()
             << ": neither a float scalar, which has a mean over micro-batches, nor one row for "
                "each sample";
  llvm_unreachable("a leaving value has a user outside");
}

/// The variable that `use` becomes: @step returns it, or returns it where the step counts.
static train::VariableAttr findNextVariable(func::FuncOp step, OpOperand &use) {
  if (use.getOwner()->hasTrait<OpTrait::ReturnLike>())
    return getVariable(step, use.getOperandNumber());
  auto select = dyn_cast<train::SelectOp>(use.getOwner());
  if (!select || &use != &select.getOnTrueMutable() || !select->hasOneUse())
    return {};
  OpOperand &returned = *select->use_begin();
  train::VariableAttr role = returned.getOwner()->hasTrait<OpTrait::ReturnLike>()
                                 ? getVariable(step, returned.getOperandNumber())
                                 : train::VariableAttr();
  return role && findHeldVariable(select.getOnFalse()) == role ? role : train::VariableAttr();
}

static LogicalResult carryVariable(Value value, OpOperand &use, train::VariableAttr role,
                                   SmallVectorImpl<CarriedValue> &carried) {
  if (role.getVariableClass() != train::VariableClass::Other)
    return mlir::emitError(value.getLoc())
           << "variable \"" << role.getName()
           << "\" is updated from the batch by an operation that is no optimizer: it would be "
              "updated for each micro-batch; mark its gradient with train.mark_gradient";
  carried.push_back({Kind::Variable, value, &use, role});
  return success();
}

static LogicalResult carryGradient(Value gradient, bool isMean,
                                   SmallVectorImpl<CarriedValue> &carried) {
  if (!isStaticFloat(gradient))
    return mlir::emitError(gradient.getLoc())
           << "the gradient is " << gradient.getType()
           << ": only float tensors of static shape can be added up";
  carried.push_back({isMean ? Kind::Mean : Kind::Sum, gradient});
  return success();
}

/// Carries a list of rows, or the indices of one, whose length follows from the batch.
static LogicalResult carryList(const ServedRows::List &list, Value value, bool isMean,
                               SmallVectorImpl<CarriedValue> &carried) {
  if (!hasRows(list.indices) || !hasRows(list.rows))
    return mlir::emitError(list.indices.getLoc())
           << "the gradient is a list of rows with the indices " << list.indices.getType()
           << ", which follow from the batch but are not more for a larger one: lists of "
              "micro-batches cannot be put together";
  bool isRows = value == list.rows;
  CarriedValue put{isRows && isMean ? Kind::MeanRows : Kind::Rows, value};
  put.like = list.whole;
  carried.push_back(put);
  return success();
}

/// Carries a value that is no gradient: the kind follows from its users.
static LogicalResult carryOther(func::FuncOp step, const BatchWork &work, Value value,
                                SmallVectorImpl<CarriedValue> &carried) {
  size_t before = carried.size();
  for (OpOperand &use : value.getUses())
    if (train::VariableAttr role = findNextVariable(step, use))
      if (failed(carryVariable(value, use, role, carried)))
        return failure();
  if (carried.size() > before)
    return success();
  if (!isFloatScalar(value) && !hasRows(value))
    return emitNoMean(step, work, value);
  carried.push_back({isFloatScalar(value) ? Kind::Mean : Kind::Rows, value});
  return success();
}

/// Whether the inputs of `step` differ between ranks.
static bool hasShards(func::FuncOp step, const UniformityAnalysis &uniformity) {
  return llvm::any_of(step.getArguments(), [&](BlockArgument argument) {
    return !uniformity.isUniform(argument) &&
           step.getArgAttr(argument.getArgNumber(), TrainDialect::kInput);
  });
}

/// What is equal on all ranks, although they got parts, is reduced. A loop around the reduction
/// would reduce once for each micro-batch.
static LogicalResult checkNotReduced(const UniformityAnalysis &uniformity, Value value,
                                     bool isGradient) {
  if (!uniformity.isUniform(value))
    return success();
  return mlir::emitError(value.getLoc())
         << (isGradient ? "the gradient" : "the value")
         << " is reduced over the ranks already, which every micro-batch would do again: run "
            "distribute-accumulate-gradients before distribute-reduce-"
         << (isGradient ? "gradients" : "metrics");
}

static FailureOr<SmallVector<CarriedValue>> findCarried(Program program, const BatchWork &work,
                                                        ArrayRef<Value> gradients,
                                                        const UniformityAnalysis &uniformity,
                                                        const ServedRows &served, bool isMean) {
  bool shards = hasShards(program.step, uniformity);
  llvm::DenseSet<Value> isOneOf(gradients.begin(), gradients.end());
  SmallVector<CarriedValue> carried;
  for (Value value : work.leaving) {
    if (const ServedRows::List *list = served.findList(value)) {
      if (failed(carryList(*list, value, isMean, carried)))
        return failure();
      continue;
    }
    bool isGradient = isOneOf.contains(value);
    LogicalResult found = isGradient ? carryGradient(value, isMean, carried)
                                     : carryOther(program.step, work, value, carried);
    if (failed(found))
      return failure();
    bool isSum = carried.back().kind == Kind::Sum || carried.back().kind == Kind::Mean;
    if (isSum && shards && failed(checkNotReduced(uniformity, value, isGradient)))
      return failure();
  }
  return carried;
}

/// The work leaves its place for the loop, and may communicate: it must pass nothing that orders
/// communication.
static LogicalResult checkOrder(const BatchWork &work) {
  Operation *end = work.ops.back()->getNextNode();
  for (Operation *op = work.ops.front(); op != end; op = op->getNextNode())
    if (ordersCommunication(op))
      return mlir::emitError(op->getLoc())
             << "'" << op->getName()
             << "' orders communication and stands among what runs once for each micro-batch; put "
                "it before or after forward and backward";
  return success();
}

void Accumulation::separateConstants(func::FuncOp step, const ServedRows &served) {
  Block &block = step.getBody().front();
  llvm::DenseSet<Value> ofSamples(llvm::from_range, findBatch(step));
  auto isOfSamples = [&](Value value) { return ofSamples.contains(value); };
  SmallVector<train::FullLikeOp> constants;
  for (Operation &op : block) {
    auto ones = dyn_cast<train::FullLikeOp>(op);
    if (ones && ones.getType().hasStaticShape())
      constants.push_back(ones);
    else if (usesAny(&op, isOfSamples))
      ofSamples.insert_range(op.getResults());
  }
  if (llvm::all_of(findGradients(step, served), isOfSamples))
    return;
  for (train::FullLikeOp ones : constants) {
    auto builder = OpBuilder::atBlockBegin(&block); // before the loop
    auto value = builder.getFloatAttr(ones.getType().getElementType(),
                                      ones.getValueAttr().getValueAsDouble());
    Value constant = arith::ConstantOp::create(builder, ones.getLoc(),
                                               DenseElementsAttr::get(ones.getType(), value));
    ones.getResult().replaceUsesWithIf(constant, [&](OpOperand &use) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      return !usesAny(user, isOfSamples);
    });
    if (constant.use_empty())
      constant.getDefiningOp()->erase();
  }
}

FailureOr<Accumulation> Accumulation::find(Program program, const UniformityAnalysis &uniformity,
                                           const ServedRows &served, bool isMean) {
  Accumulation found;
  found.gradients = findGradients(program.step, served);
  if (failed(checkStep(program, found.gradients)))
    return failure();
  found.work = BatchWork::find(program.step, found.gradients, served.getWholeBatch());
  if (found.work.ops.empty())
    return mlir::emitError(program.step.getLoc())
           << "computes nothing from its batch that could be done in parts";
  if (failed(checkOrder(found.work)))
    return failure();
  FailureOr<SmallVector<CarriedValue>> carried =
      findCarried(program, found.work, found.gradients, uniformity, served, isMean);
  if (failed(carried))
    return failure();
  found.carried = std::move(*carried);
  return found;
}
