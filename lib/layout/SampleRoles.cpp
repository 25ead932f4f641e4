// The walk over a step, and the operations that answer otherwise than by a rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/SampleRoles.h"

#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/interfaces/Optimizer.h"
#include "dialects/train/Train.h"
#include "lib/layout/ShardingRules.h"
#include "lib/layout/Transfer.h"
#include "lib/program/BatchWork.h"
#include "lib/program/GradientChain.h"
#include "lib/program/Program.h"
#include "lib/program/gradients/GradientRoles.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

bool tutti::hasUnequalParts(train::DatasetOp dataset) {
  std::optional<train::ShardAttr> shard = dataset ? dataset.getShard() : std::nullopt;
  if (!shard || shard->getPolicy() != train::BatchPolicy::Weighted)
    return false;
  int64_t ranks = shard->getRanks();
  return ranks <= 0 || !dataset.getGlobalBatch() || *dataset.getGlobalBatch() % ranks != 0;
}

/// The part of a variable that a rank holds: rows of its elements, as distribute-shard-optimizer
/// makes them.
static bool isHeldInRows(func::FuncOp step, unsigned argument) {
  auto variable =
      step.getArgAttrOfType<train::VariableAttr>(argument, train::TrainDialect::kVariable);
  auto type = dyn_cast<RankedTensorType>(step.getArgumentTypes()[argument]);
  return variable && variable.getPlacement() == train::VariablePlacement::Shard && type &&
         type.getRank() == 1;
}

SampleRoles::SampleRoles(func::FuncOp step, bool isDistributed, int64_t foldedRanks)
    : step(step), isDistributed(isDistributed), foldedRanks(foldedRanks) {
  for (BlockArgument argument : step.getArguments()) {
    train::InputAttr input = findReadInput(argument);
    if (isDistributed && isHeldInRows(step, argument.getArgNumber()))
      layouts[argument] = Layout::shard(0);
    if (!input)
      continue;
    areUnequal |= hasUnequalParts(
        SymbolTable::lookupNearestSymbolFrom<train::DatasetOp>(step, input.getDataset()));
    if (std::optional<unsigned> axis = getSampleAxis(argument))
      layouts[argument] = Layout::shard(*axis);
    else if (isDistributed)
      layouts[argument] = Layout::own(); // each rank reads its own
  }
  for (const NamedGradient &gradient : findNamedGradients(step))
    named.insert(gradient.value);
  for (Operation &op : step.getBody().front())
    visit(&op);
}

Layout SampleRoles::get(Value value) const {
  Layout layout = layouts.lookup(value);
  bool comesIn = turns && layout.scale != 0 && !turns->isAncestor(value.getParentRegion());
  return comesIn ? layout.withScale({layout.scale.share, layout.scale.turns - layout.scale.share})
                 : layout;
}

void SampleRoles::want(OpOperand &use, Layout layout) {
  Layout given = get(use.get());
  if (given != layout && !isDistributed)
    changes.push_back({&use, given, layout});
}

/// Found once, however many results there are.
Value SampleRoles::findOrigin(Operation *op, Layout::Kind kind) {
  if (origin.op != op) {
    origin.op = op;
    origin.firstOf.clear();
    origin.last = Value();
    for (Value operand : op->getOperands())
      if (Layout given = get(operand); !given.isWhole()) {
        origin.last = operand;
        origin.firstOf.try_emplace(unsigned(given.kind), operand);
      }
  }
  auto first = origin.firstOf.find(unsigned(kind));
  return first == origin.firstOf.end() ? origin.last : first->second;
}

/// The first operand of its kind that is not the same on all parts is where a result has its layout
/// from, or the last of another kind.
void SampleRoles::set(Operation *op, Value result, Layout layout) {
  if (layout.isWhole())
    return void(layouts.erase(result));
  layouts[result] = layout;
  if (Value from = findOrigin(op, layout.kind))
    origins[result] = from;
}

void SampleRoles::visit(Operation *op) {
  origin.op = nullptr; // operands may have other layouts than when `op` was visited last
  visitOne(op);
  for (Value result : op->getResults()) // a mean that is named a gradient is reduced there
    if (named.contains(result) && get(result).isSum() && get(result).scale == 1)
      layouts.erase(result);
}

void SampleRoles::visitOne(Operation *op) {
  if (op->hasTrait<OpTrait::ReturnLike>())
    return visitReturn(op);
  auto isWhole = [&](Value value) { return get(value).isWhole(); };
  if (visitGradient(op))
    return;
  if (auto piece = dyn_cast<train::BatchPieceOp>(op); piece && isWhole(piece.getNumber()))
    return set(op, piece.getResult(), Layout::shard(piece.getAxis()));
  if (isDistributed && (visitCommunication(op) || visitLoop(op) || visitRows(op) ||
                        visitMicroBatch(op) || visitNumberScale(op)))
    return;
  if (isa<train::BatchShareOp, train::BatchSumOp>(op) && visitPart(op))
    return;
  if (op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), isWhole))
    return;
  if (visitPart(op) || visitUnknown(op) || visitStatistics(op) || visitReshape(op))
    return;
  visitByRule(op);
}

/// The sizes that a reshape states tell of a symbolic dimension what a rule of factors cannot.
bool SampleRoles::visitReshape(Operation *op) {
  bool isReshape =
      llvm::is_contained({"onnx.Reshape", "onnx.Flatten"}, op->getName().getStringRef());
  if (!isReshape || !get(op->getOperand(0)).isShard())
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType()),
       to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Layout> place =
      from && to ? reshapeShard(get(op->getOperand(0)), from.getShape(), to.getShape())
                 : std::nullopt;
  if (place)
    set(op, op->getResult(0), *place);
  return place.has_value();
}

void SampleRoles::visitByRule(Operation *op) {
  FailureOr<ShardingRule> rule = findShardingRule(op);
  SmallVector<Layout> given =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return get(value); });
  Transfer found = transfer(op, *rule, given);
  bool isBroken = isDistributed && llvm::any_of(llvm::zip(given, found.operands), [](auto pair) {
                    return !std::get<0>(pair).isAlso(std::get<1>(pair));
                  });
  if (isBroken)
    for (Layout &layout : found.results)
      layout = Layout::own();
  for (auto [use, wanted] : llvm::zip_equal(op->getOpOperands(), found.operands))
    want(use, wanted);
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), found.results))
    set(op, result, layout);
}

//===----------------------------------------------------------------------===//
// Operations on parts of a batch
//===----------------------------------------------------------------------===//

bool SampleRoles::visitPart(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Value result = op->getResult(0);
  OpOperand &use = op->getOpOperand(0);
  Layout given = get(use.get());
  if (given.isOwn())
    return false;
  if (isa<train::BatchShareOp, train::BatchSumOp>(op)) {
    set(op, result, given.withScale(given.scale + (isa<train::BatchSumOp>(op) ? 1 : -1)));
  } else if (auto total = dyn_cast<train::BatchTotalOp>(op)) {
    bool isPending = given.isPartial() && spellReduction(given.reduction) == total.getReduction();
    if (!isPending)
      return false;
    want(use, given.withScale(0));
  } else if (isa<train::BatchGatherOp>(op) && given.isShard()) {
    want(use, given.withScale(0));
  } else if (auto scatter = dyn_cast<train::BatchScatterOp>(op); scatter && given.isSum()) {
    want(use, given.withScale(0));
    set(op, result, Layout::shard(scatter.getAxis()));
  } else {
    return false;
  }
  return true;
}

/// Batch normalization takes statistics over all parts (distribute-sync-batch-norm): what it makes
/// of a sample depends on them alone. They come in the scale of what they are taken of.
bool SampleRoles::visitStatistics(Operation *op) {
  auto statistics = dyn_cast<BatchStatisticsOpInterface>(op);
  Layout first = get(op->getOperand(0));
  if (!statistics || !first.isShard() || first.dimension == 1)
    return false;
  auto isArray = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() > 1;
  };
  bool isGradient = statistics.takesMeansOfGradients();
  for (OpOperand &use : op->getOpOperands())
    if (!isArray(use.get()))
      want(use, Layout::replicate());
    else
      want(use, first.withScale(isGradient && use.getOperandNumber() == 0 ? first.scale : 0));
  for (Value result : op->getResults())
    if (isArray(result))
      set(op, result, first.withScale(isGradient ? first.scale : 0));
    else if (isGradient)
      set(op, result, Layout::partial(Reduction::Sum, first.scale));
  return true;
}

/// Of what is taken for its shape alone, a shape that is known is the same on all parts.
static bool isTakenForKnownShape(OpOperand &use, const ShardingRule &rule) {
  auto type = dyn_cast<RankedTensorType>(use.get().getType());
  return type && type.hasStaticShape() &&
         llvm::is_contained(rule.shapesOnly, use.getOperandNumber());
}

bool SampleRoles::visitUnknown(Operation *op) {
  FailureOr<ShardingRule> rule = findShardingRule(op);
  bool isOwn = op->getNumRegions() > 0 || failed(rule) ||
               llvm::any_of(op->getOpOperands(), [&](OpOperand &use) {
                 return get(use.get()).isOwn() && !isTakenForKnownShape(use, *rule);
               });
  if (!isOwn)
    return false;
  bool takesOthers = usesAny(op, [&](Value value) { return !get(value).isWhole(); });
  for (Value result : op->getResults())
    if (takesOthers)
      set(op, result, Layout::own());
  return true;
}

//===----------------------------------------------------------------------===//
// What leaves
//===----------------------------------------------------------------------===//

Layout tutti::getLeavingLayout(Layout layout, Type type) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(type));
  if (layout.isSum() && isFloat)
    return layout.withScale(1);
  return layout.isPartial() ? Layout::replicate() : layout.withScale(0);
}

/// Gradients are reduced over ranks where they are used first; what follows is the same on all.
bool SampleRoles::visitGradient(Operation *op) {
  auto leave = [&](OpOperand &use) {
    want(use, getLeavingLayout(get(use.get()), use.get().getType()));
  };
  if (auto mark = dyn_cast<train::MarkGradientOp>(op)) {
    leave(mark.getGradientMutable());
    return true;
  }
  if (!getGradientStage(op))
    return false;
  forEachGradient(op, leave);
  return true;
}

void SampleRoles::visitReturn(Operation *op) {
  for (OpOperand &use : op->getOpOperands()) {
    Layout layout = get(use.get());
    auto type = dyn_cast<RankedTensorType>(use.get().getType());
    bool isVariable = bool(getVariable(step, use.getOperandNumber()));
    if (isVariable)
      want(use, layout.isOwn() ? layout : Layout::replicate());
    else if (layout.isPartial() && type)
      want(use, type.getRank() == 0 ? getLeavingLayout(layout, type) : Layout::replicate());
    else
      want(use, layout.withScale(0));
  }
}

SmallVector<Operation *> SampleRoles::getChain(Value value, unsigned most) const {
  SmallVector<Operation *> chain;
  for (Value before = getOrigin(value); value && chain.size() < most;
       value = before, before = value ? getOrigin(value) : Value())
    if (Operation *op = value.getDefiningOp();
        op && (!before || spellRole(get(before)) != spellRole(get(value))))
      chain.push_back(op);
  std::reverse(chain.begin(), chain.end());
  return chain;
}
