// Which values have the tokens that are filled up, and where these must be zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/FilledVocabulary.h"

#include "dialects/interfaces/Draws.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/Pointwise.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "lib/analysis/Remarks.h"
#include "lib/diagnostics/Refusal.h"
#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"
#include "passes/distribution/tensor/TensorProgram.h"
#include "passes/distribution/tensor/TensorRules.h"
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

static Refusal refuse(Operation *op, const Twine &reason) {
  return Refusal("'" + op->getName().getStringRef() + "' " + reason);
}

//===----------------------------------------------------------------------===//
// Which values
//===----------------------------------------------------------------------===//

namespace {
/// The values of a step that have the dimension, and for each which of its dimensions that is.
/// Found from a weight on, forward and, where an operation takes one operand with it and another
/// one without, backward to variables, rows of a table, and constants.
class Reach {
public:
  explicit Reach(func::FuncOp step) : step(step), places(step) {
    for (VariableResult variable : getVariableResults(step))
      returned[variable.role] = variable.value;
  }

  /// Why not all that depends on the dimension can have more entries.
  Refusal find(BlockArgument weight, int64_t dimension);

  /// Whether the dimension is that of the classes of a cross entropy, though it cannot have more.
  bool reachesLoss() const {
    return llvm::any_of(open, [](Operation *op) {
      return isa<onnx::SoftmaxCrossEntropyLossOp, onnx::SoftmaxCrossEntropyLossGradOp>(op);
    });
  }
  const llvm::MapVector<Value, int64_t> &getDimensions() const { return dimensions; }
  /// Uses of constants whose elements are equal, which then take longer ones.
  ArrayRef<std::pair<OpOperand *, int64_t>> getSplats() const { return splats; }
  ArrayRef<Operation *> getVisited() const { return open.getArrayRef(); }

private:
  Refusal want(OpOperand &use, int64_t dimension);
  Refusal add(Value value, int64_t dimension);
  Refusal addArgument(BlockArgument argument, int64_t dimension);
  Refusal addCarried(scf::ForOp loop, unsigned index, int64_t dimension);
  Refusal addSource(OpResult result, int64_t dimension);
  Refusal visit(Operation *op);
  Refusal visitUse(OpOperand &use, int64_t dimension);
  Refusal visitByRule(Operation *op, OpOperand &use, int64_t dimension);
  Refusal spread(Operation *op, const ShardingRule &rule, unsigned factor);
  Refusal checkZeros();
  void findNotZero();
  bool isZeroIn(Value value) const;
  bool isZeroAfter(Value value) const;
  bool areTermsZero(Operation *op) const;

  func::FuncOp step;
  VariablePlaces places;
  llvm::DenseMap<Attribute, OpOperand *> returned; ///< variables after the step
  llvm::MapVector<Value, int64_t> dimensions;
  llvm::SmallVector<std::pair<OpOperand *, int64_t>> splats;
  llvm::SmallSetVector<Operation *, 32> open; ///< takes, or makes, such a value; in this order
  llvm::SmallVector<Operation *> sums;        ///< over the dimension
  llvm::DenseSet<Value> notZero;
};
} // namespace

Refusal Reach::find(BlockArgument weight, int64_t dimension) {
  if (Refusal refusal = add(weight, dimension))
    return refusal;
  for (size_t next = 0; next < open.size(); ++next)
    if (Refusal refusal = visit(open[next]))
      return refusal;
  if (!reachesLoss())
    return "no cross entropy takes what is computed with it";
  return checkZeros();
}

/// `value` has more entries, and so all that takes it has to know.
Refusal Reach::add(Value value, int64_t dimension) {
  auto [place, isNew] = dimensions.insert({value, dimension});
  if (!isNew)
    return place->second == dimension ? Refusal() : Refusal("a value has the tokens twice");
  for (Operation *user : value.getUsers())
    open.insert(user);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return addArgument(argument, dimension);
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return addCarried(loop, cast<OpResult>(value).getResultNumber(), dimension);
  open.insert(value.getDefiningOp());
  return {};
}

/// A variable has them after the step as before.
Refusal Reach::addArgument(BlockArgument argument, int64_t dimension) {
  if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
    return addCarried(loop, argument.getArgNumber() - loop.getNumInductionVars(), dimension);
  OpOperand *next = returned.lookup(findHeldVariable(argument));
  return next ? want(*next, dimension) : Refusal("an input of the step would have more tokens");
}

Refusal Reach::addCarried(scf::ForOp loop, unsigned index, int64_t dimension) {
  if (Refusal refusal = add(loop.getResult(index), dimension))
    return refusal;
  if (Refusal refusal = add(loop.getRegionIterArg(index), dimension))
    return refusal;
  if (Refusal refusal = want(loop.getInitArgsMutable()[index], dimension))
    return refusal;
  return want(loop.getBody()->getTerminator()->getOpOperand(index), dimension);
}

/// `use` has to take a value with more entries.
Refusal Reach::want(OpOperand &use, int64_t dimension) {
  Value value = use.get();
  if (auto found = dimensions.find(value); found != dimensions.end())
    return add(value, dimension);
  if (isSplat(value)) {
    splats.push_back({&use, dimension});
    return {};
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isKnown = isa<scf::ForOp>(argument.getOwner()->getParentOp()) ||
                   returned.contains(findHeldVariable(argument));
    return isKnown ? add(argument, dimension)
                   : refuse(use.getOwner(), "takes an input of the step with it");
  }
  return addSource(cast<OpResult>(value), dimension);
}

/// What makes a value of the dimension of operands that have it, or of rows.
Refusal Reach::addSource(OpResult result, int64_t dimension) {
  Operation *op = result.getOwner();
  if (isa<scf::ForOp, train::ScatterRowsOp>(op) || getForm(op))
    return add(result, dimension);
  if (isa<onnx::SoftmaxCrossEntropyLossOp, onnx::SoftmaxCrossEntropyLossGradOp>(op)) {
    Refusal refusal = add(result, dimension);
    bool isLoss = isa<onnx::SoftmaxCrossEntropyLossOp>(op); // takes scores first
    return refusal ? refusal : want(op->getOpOperand(isLoss ? 0 : 1), 1);
  }
  FailureOr<ShardingRule> rule = findShardingRule(op);
  if (failed(rule) || rule->results[result.getResultNumber()][dimension].size() != 1)
    return refuse(op, "makes what has the tokens, too, of what has none");
  unsigned factor = rule->results[result.getResultNumber()][dimension].front();
  bool isThere = llvm::any_of(rule->operands, [&](const TensorFactors &tensor) {
    return llvm::any_of(tensor, [&](auto &all) { return llvm::is_contained(all, factor); });
  });
  if (!isThere)
    return refuse(op, "makes what has the tokens, too, of what has none");
  return spread(op, *rule, factor);
}

Refusal Reach::visit(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto found = dimensions.find(operand.get()); found != dimensions.end())
      if (Refusal refusal = visitUse(operand, found->second))
        return refusal;
  return {};
}

Refusal Reach::visitUse(OpOperand &use, int64_t dimension) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (op == step.getBody().front().getTerminator()) {
    train::VariableAttr role = getVariable(step, index);
    BlockArgument before = role ? places.getArgument(role) : BlockArgument();
    return before ? add(before, dimension) : refuse(op, "gives it away as an output");
  }
  if (isa<scf::YieldOp>(op) && isa<scf::ForOp>(op->getParentOp()))
    return add(op->getParentOp()->getResult(index), dimension);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return add(loop.getResult(index - loop.getNumControlOperands()), dimension);
  if (isa<train::GlobalNormOp>(op))
    sums.push_back(op);
  if (isa<train::GlobalNormOp, train::AllFiniteOp>(op))
    return {};
  if (std::optional<CommunicationForm> form = getForm(op)) {
    bool passes =
        form->kind == CommunicationKind::AllReduce && op->getNumOperands() == op->getNumResults();
    return passes ? add(op->getResult(index), dimension) : refuse(op, "exchanges it");
  }
  if (auto gather = dyn_cast<onnx::GatherOp>(op))
    return index == 0 && dimension == 0 && gather.getGatheredAxis() == 0
               ? Refusal()
               : refuse(op, "takes it along another dimension");
  if (auto loss = dyn_cast<onnx::SoftmaxCrossEntropyLossOp>(op))
    return index == 0 && dimension == 1
               ? add(loss.getLogProb(), 1)
               : refuse(op, "takes it as labels, or as weights of classes");
  if (auto gradient = dyn_cast<onnx::SoftmaxCrossEntropyLossGradOp>(op))
    return index == 1 && dimension == 1
               ? add(op->getResult(0), 1)
               : refuse(op, "takes it as labels, or as weights of classes");
  return visitByRule(op, use, dimension);
}

Refusal Reach::visitByRule(Operation *op, OpOperand &use, int64_t dimension) {
  FailureOr<ShardingRule> rule = failure();
  if (!isa<PlacedDrawsOpInterface>(op) && isComputed(op))
    rule = findShardingRule(op);
  if (failed(rule))
    return refuse(op, "takes it, of which it is not known that it can have more tokens");
  ArrayRef<unsigned> factors = rule->operands[use.getOperandNumber()][dimension];
  if (factors.size() != 1)
    return refuse(op, "joins its tokens with another dimension");
  return spread(op, *rule, factors.front());
}

/// All operands and results of `op` that have the factor have more entries.
Refusal Reach::spread(Operation *op, const ShardingRule &rule, unsigned factor) {
  const Factor &tokens = rule.factors[factor];
  bool isSum = tokens.kind == FactorKind::Sum;
  if (tokens.divides || (!isSum && tokens.kind != FactorKind::Pass))
    return refuse(op, "needs all of its tokens, and no more");
  if (isSum && !llvm::is_contained(sums, op))
    sums.push_back(op);
  auto visitAll = [&](ArrayRef<TensorFactors> tensors, auto &&found) -> Refusal {
    for (auto [index, tensor] : llvm::enumerate(tensors))
      for (auto [dimension, all] : llvm::enumerate(tensor)) {
        if (!llvm::is_contained(all, factor))
          continue;
        if (all.size() != 1)
          return refuse(op, "joins its tokens with another dimension");
        if (Refusal refusal = found(index, dimension))
          return refusal;
      }
    return {};
  };
  Refusal refusal = visitAll(rule.results, [&](unsigned index, int64_t dimension) {
    return add(op->getResult(index), dimension);
  });
  if (refusal)
    return refusal;
  return visitAll(rule.operands, [&](unsigned index, int64_t dimension) {
    return want(op->getOpOperand(index), dimension);
  });
}

//===----------------------------------------------------------------------===//
// Zeros
//===----------------------------------------------------------------------===//

/// Whether the tokens that are filled up are zeros in what `value` takes for them.
bool Reach::isZeroIn(Value value) const {
  return dimensions.contains(value) ? !notZero.contains(value) : isZero(value);
}

/// Whether each summand of the results of `op` is a product with such zeros.
bool Reach::areTermsZero(Operation *op) const {
  FailureOr<ShardingRule> rule = findShardingRule(op);
  return succeeded(rule) && llvm::any_of(rule->linear, [&](const auto &set) {
           return llvm::all_of(set, [&](unsigned i) { return isZeroIn(op->getOperand(i)); });
         });
}

/// An update by which zeros stay zeros: it divides by nothing that is zero then.
static bool keepsZeros(OptimizerOpInterface update) {
  auto epsilon = update->getAttrOfType<FloatAttr>("epsilon");
  return isPointwise(update) && (!epsilon || epsilon.getValueAsDouble() > 0);
}

/// Whether the operation that makes `value` makes such zeros of them. Variables begin with zeros.
bool Reach::isZeroAfter(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return !loop || isZeroIn(loop.getTiedLoopResult(argument));
  }
  Operation *op = value.getDefiningOp();
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (isa<train::ScatterRowsOp, onnx::SoftmaxCrossEntropyLossGradOp>(op))
    return true;
  if (isa<onnx::SoftmaxCrossEntropyLossOp>(op))
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isZeroIn(loop.getInitArgs()[index]) &&
           isZeroIn(loop.getBody()->getTerminator()->getOperand(index));
  if (getForm(op) || isa<onnx::CastOp, onnx::IdentityOp>(op))
    return isZeroIn(op->getOperand(index));
  if (auto update = dyn_cast<OptimizerOpInterface>(op))
    return keepsZeros(update) && llvm::all_of(op->getOperands(), [&](Value operand) {
             return !dimensions.contains(operand) || isZeroIn(operand);
           });
  return areTermsZero(op);
}

/// Finds the values that are not zero there: from one to those that are made of it.
void Reach::findNotZero() {
  SmallVector<Value> asked(llvm::make_first_range(dimensions));
  while (!asked.empty()) {
    Value value = asked.pop_back_val();
    if (!dimensions.contains(value) || isZeroAfter(value) || !notZero.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      Operation *maker = isa<scf::YieldOp>(user) ? user->getParentOp() : user;
      llvm::append_range(asked, maker->getResults());
      if (auto loop = dyn_cast<scf::ForOp>(maker))
        llvm::append_range(asked, loop.getRegionIterArgs());
    }
    if (auto loop = value.getDefiningOp<scf::ForOp>()) // as what it carries
      llvm::append_range(asked, loop.getRegionIterArgs());
  }
}

/// What is summed over the dimension, and the variables after the step, have zeros there.
Refusal Reach::checkZeros() {
  findNotZero();
  for (Operation *op : sums) {
    bool isRight =
        isa<train::GlobalNormOp>(op)
            ? llvm::all_of(op->getOperands(), [&](Value value) { return !notZero.contains(value); })
            : areTermsZero(op);
    if (!isRight)
      return refuse(op, "would sum over tokens that no sample has");
  }
  for (auto [value, dimension] : dimensions) {
    auto argument = dyn_cast<BlockArgument>(value);
    bool isVariable = argument && argument.getOwner() == &step.getBody().front();
    Value next = isVariable ? returned.lookup(findHeldVariable(argument))->get() : Value();
    if (next && !isZeroIn(next))
      return next.getDefiningOp()
                 ? refuse(next.getDefiningOp(),
                          "would not keep zeros for tokens that no sample has")
                 : Refusal("a variable would not keep zeros for tokens that no sample has");
  }
  return {};
}

//===----------------------------------------------------------------------===//
// More entries
//===----------------------------------------------------------------------===//

/// Gives all that `reach` found `filled` entries instead of `size`.
static void fillStep(func::FuncOp step, const Reach &reach, int64_t size, int64_t filled) {
  auto lengthen = [&](Type type, int64_t dimension) {
    return FilledDimension{dimension, size}.getType(type, filled);
  };
  for (auto [use, dimension] : reach.getSplats()) {
    OpBuilder builder(use->getOwner());
    use->set(repeatSplat(builder, use->get(), lengthen(use->get().getType(), dimension)));
  }
  for (auto [value, dimension] : reach.getDimensions())
    Value(value).setType(lengthen(value.getType(), dimension));
  for (Operation *op : reach.getVisited()) {
    if (auto loss = dyn_cast<onnx::SoftmaxCrossEntropyLossOp>(op))
      hideClasses(loss, size);
    else if (auto gather = dyn_cast<onnx::GatherOp>(op))
      gather.getIndicesMutable().set(checkRows(gather, size));
    else if (auto scatter = dyn_cast<train::ScatterRowsOp>(op))
      scatter.getIndicesMutable().set(moveRows(scatter, size));
    else
      setShape(op);
  }
  step.setFunctionType(
      FunctionType::get(step.getContext(), step.getBody().front().getArgumentTypes(),
                        step.getBody().front().getTerminator()->getOperandTypes()));
}

FilledVocabulary::FilledVocabulary(Program program, int64_t parts,
                                   const std::set<unsigned> &without)
    : step(program.step) {
  for (const Column &column : findUnequalColumns(step, parts)) {
    auto type = cast<RankedTensorType>(column.weight.getType());
    int64_t dimension = column.along.dimension, size = type.getDimSize(dimension);
    unsigned number = column.weight.getArgNumber();
    if (without.count(number) || arguments.count(number))
      continue;
    Reach reach(step);
    if (Refusal refusal = reach.find(column.weight, dimension)) {
      if (reach.reachesLoss())
        remark::missed(column.product->getLoc(), remarkBy("distribute-tensor", step))
            << ("weight \"" + findHeldVariable(column.weight).getName() +
                "\" is not filled up to columns that " + Twine(parts) +
                " ranks divide: " + refusal.reason())
                   .str();
      continue;
    }
    if (!original)
      original = step.clone();
    fillStep(step, reach, size, train::getBlockSize(size, parts) * parts);
    for (auto [value, along] : reach.getDimensions())
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && argument.getOwner() == &step.getBody().front())
        arguments[argument.getArgNumber()] = {along, size};
  }
}

void FilledVocabulary::keep() {
  if (original)
    original.erase();
  original = {};
}

FilledVocabulary::~FilledVocabulary() {
  if (!original)
    return;
  step.getBody().takeBody(original.getBody());
  step.setFunctionType(original.getFunctionType());
  original.erase();
}

//===----------------------------------------------------------------------===//
// Where a program and files meet
//===----------------------------------------------------------------------===//

static Value create(OpBuilder &builder, StringRef name, ValueRange operands, Type type,
                    ArrayRef<NamedAttribute> attributes) {
  OperationState state(operands.front().getLoc(), name);
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttributes(attributes);
  return builder.create(state)->getResult(0);
}

Value tutti::distribution::fillUp(OpBuilder &builder, Value value, const FilledDimension &filled,
                                  int64_t size) {
  RankedTensorType type = filled.getType(value.getType(), size);
  if (isZero(value))
    return repeatSplat(builder, value, type);
  RankedTensorType more = filled.getType(type, size - filled.size);
  Value zeros = arith::ConstantOp::create(
      builder, value.getLoc(),
      DenseElementsAttr::get(more, builder.getZeroAttr(more.getElementType())));
  return create(builder, onnx::ConcatOp::getOperationName(), {value, zeros}, type,
                builder.getNamedAttr("axis", builder.getI64IntegerAttr(filled.dimension)));
}

Value tutti::distribution::leaveOut(OpBuilder &builder, Value value,
                                    const FilledDimension &filled) {
  auto numbers = [&](int64_t number) { return builder.getDenseI64ArrayAttr(number); };
  return create(builder, onnx::SliceOp::getOperationName(), value,
                filled.getType(value.getType(), filled.size),
                {builder.getNamedAttr("starts", numbers(0)),
                 builder.getNamedAttr("ends", numbers(filled.size)),
                 builder.getNamedAttr("axes", numbers(filled.dimension))});
}
