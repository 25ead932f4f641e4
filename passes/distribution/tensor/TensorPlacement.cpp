// Placing the values of a step on neighbouring ranks, operation by operation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/tensor/TensorPlacement.h"

#include "dialects/interfaces/Draws.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/onnx/Onnx.h"
#include "dialects/train/Train.h"
#include "lib/layout/ShardingRules.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"
#include "passes/distribution/tensor/Vocabulary.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

//===----------------------------------------------------------------------===//
// Where a value comes from
//===----------------------------------------------------------------------===//

/// The one operand of `op` that is a tensor with dimensions, beside those of which all elements are
/// the same.
static OpOperand *findOnlyTensor(Operation *op) {
  OpOperand *found = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || type.getRank() == 0 || isSplat(operand.get()))
      continue;
    if (found)
      return nullptr;
    found = &operand;
  }
  return found;
}

bool TensorCut::fits(RankedTensorType type, int64_t parts) const {
  return dimension < type.getRank() && !type.isDynamicDim(dimension) &&
         type.getDimSize(dimension) % (outer * parts) == 0;
}

/// The dimension of `tensor` in which `factors` are all there is.
static std::optional<int64_t> findDimension(const TensorFactors &tensor,
                                            ArrayRef<unsigned> factors) {
  auto *found =
      llvm::find_if(tensor, [&](auto &all) { return ArrayRef<unsigned>(all) == factors; });
  return found == tensor.end() ? std::nullopt : std::optional<int64_t>(found - tensor.begin());
}

/// The dimension of `tensor` in which `factor` is the outermost one.
static std::optional<int64_t> findOutermost(const TensorFactors &tensor, unsigned factor) {
  auto *found = llvm::find_if(
      tensor, [&](auto &factors) { return !factors.empty() && factors.front() == factor; });
  return found == tensor.end() ? std::nullopt : std::optional<int64_t>(found - tensor.begin());
}

std::optional<std::pair<BlockArgument, TensorCut>>
tutti::distribution::findCutArgument(Value value, TensorCut cut) {
  while (Operation *op = value.getDefiningOp()) {
    OpOperand *source = op->getNumResults() == 1 ? findOnlyTensor(op) : nullptr;
    FailureOr<ShardingRule> rule = failure();
    if (source)
      rule = findShardingRule(op);
    if (failed(rule) || rule->results[0][cut.dimension].empty())
      return std::nullopt;
    ArrayRef<unsigned> factors = rule->results[0][cut.dimension];
    auto passes = [&](unsigned factor) { return rule->factors[factor].kind == FactorKind::Pass; };
    const TensorFactors &tensor = rule->operands[source->getOperandNumber()];
    std::optional<int64_t> dimension =
        cut.outer == 1 ? findOutermost(tensor, factors.front()) : findDimension(tensor, factors);
    if (!dimension || !llvm::all_of(cut.outer == 1 ? factors.take_front() : factors, passes))
      return std::nullopt;
    cut.dimension = *dimension;
    value = source->get();
  }
  auto argument = cast<BlockArgument>(value);
  if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return std::nullopt; // what a loop carries
  return std::make_pair(argument, cut);
}

bool tutti::distribution::isComputed(Operation *op) {
  if (StringRef kind = stablehlo::getKind(op); !kind.empty())
    return stablehlo::isPure(kind);
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

//===----------------------------------------------------------------------===//
// The analysis
//===----------------------------------------------------------------------===//

const Transfer *TensorPlacement::getTransfer(Operation *op) const {
  auto found = transfers.find(op);
  return found == transfers.end() ? nullptr : &found->second;
}

SmallVector<Layout> TensorPlacement::getLayouts(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return getLayout(value); });
}

LogicalResult TensorPlacement::place() {
  do {
    isWider = false;
    if (failed(placeOnce()))
      return failure();
  } while (isWider && !stopped); // each time at least one variable more
  return success();
}

bool tutti::distribution::isOperandByOperand(Operation *op) {
  return getForm(op) || isa<train::GlobalNormOp, train::AllFiniteOp>(op);
}

/// What it takes of an operand: a reduction parts and wholes, which it reduces part by part, as
/// summands are fewer bytes when added; norms and finite checks measure what a rank has.
static Layout takenAlone(Operation *op, const Layout &given) {
  std::optional<CommunicationForm> form = getForm(op);
  bool takesParts = form ? form->kind == CommunicationKind::AllReduce &&
                               op->getNumOperands() == op->getNumResults()
                         : given.scale == 0;
  return given.isShard() && takesParts ? given : Layout();
}

void TensorPlacement::addUsers(Value value, WorkList &open) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = getPlacedUser(use);
    if (op == getBlock().getTerminator())
      continue;
    if (!isTrial || !isOperandByOperand(op)) {
      open.insert(op);
      continue;
    }
    if (!getForm(op) || !takenAlone(op, getLayout(value)).isShard())
      continue;
    Value result = op->getResult(use.getOperandNumber());
    layouts[result] = getLayout(value);
    exchanged.push_back(result);
    addUsers(result, open);
  }
}

LogicalResult TensorPlacement::placeOnce() {
  layouts.clear();
  transfers.clear();
  exchanged.clear();
  scattered.clear();
  tokens.clear();
  excess.clear();
  Block &block = getBlock();
  WorkList open;
  for (unsigned number : ofTokens)
    tokens.insert(block.getArgument(number));
  for (auto [number, along] : cut) {
    layouts[block.getArgument(number)] = along.getLayout();
    addUsers(block.getArgument(number), open);
  }
  while (!open.empty() && !stopped) {
    Operation *op = *open.begin();
    open.erase(open.begin());
    if (failed(placeOp(op)))
      return failure();
    if (isTrial)
      limitTrial(op);
    ValueRange results = isa<scf::YieldOp>(op) ? op->getParentOp()->getResults() : op->getResults();
    for (Value result : results)
      if (!getLayout(result).isWhole())
        addUsers(result, open);
  }
  return success();
}

static bool isKept(const Layout &layout, const Layout &wanted) {
  return !layout.isShard() ||
         (wanted.isShard() && wanted.dimension == layout.dimension && wanted.outer == layout.outer);
}

/// What to do where `op` takes what is cut whole: one matrix of query, key and value, of which the
/// keys have fewer heads, is in no ranges that are equally wide.
static StringRef remedyFor(Operation *op) {
  auto split = dyn_cast<onnx::SplitOp>(op);
  return split && !llvm::all_equal(split.getSplit())
             ? ", as it takes apart columns of several products that are not equally many; give "
               "each product a weight of its own"
             : "";
}

void TensorPlacement::limitTrial(Operation *op) {
  for (auto [operand, wanted] : llvm::zip_equal(op->getOpOperands(), getTransfer(op)->operands)) {
    if (stopped || isKept(getLayout(operand.get()), wanted))
      continue;
    stoppedAt = &operand;
    stopped = "'" + op->getName().getStringRef() + "' would need what is computed with it whole" +
              remedyFor(op);
  }
  if (!stopped && transfers.size() > kMostOfTrial)
    stopped = "more than " + Twine(kMostOfTrial) + " operations would compute with parts of it";
}

bool TensorPlacement::cutsClasses() const {
  return llvm::any_of(transfers, [](const auto &placed) {
    return isa<onnx::SoftmaxCrossEntropyLossOp>(placed.first) &&
           isOfVocabulary(placed.first, placed.second);
  });
}

BlockArgument TensorPlacement::findSource(Value value) const {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t next = 0; next < reached.size(); ++next) {
    auto argument = dyn_cast<BlockArgument>(reached[next]);
    if (argument && argument.getOwner() == &getBlock())
      return argument;
    if (argument) // what a loop carries
      continue;
    for (Value operand : reached[next].getDefiningOp()->getOperands())
      if (getLayout(operand).isShard())
        reached.insert(operand);
  }
  return {};
}

Layout TensorPlacement::getReturned(unsigned index, const program::VariablePlaces &places) const {
  train::VariableAttr role = program::getVariable(step, index);
  BlockArgument argument = role ? places.getArgument(role) : BlockArgument();
  return argument ? getLayout(getBlock().getArgument(argument.getArgNumber())) : Layout();
}

void TensorPlacement::placeEnd(const program::VariablePlaces &places) {
  Operation *end = getBlock().getTerminator();
  Transfer returned{SmallVector<Layout>(end->getNumOperands()), {}};
  for (auto [index, layout] : llvm::enumerate(returned.operands))
    layout = getReturned(index, places);
  transfers[end] = std::move(returned);
}

/// What a branch or another loop takes from around it has to be whole.
LogicalResult TensorPlacement::refuseNested(Operation *op) {
  if (isa<scf::ForOp>(op))
    return success();
  WalkResult inner = op->walk([&](Operation *nested) {
    bool takesPart = llvm::any_of(nested->getOperands(),
                                  [&](Value value) { return !getLayout(value).isWhole(); });
    return nested != op && takesPart ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!inner.wasInterrupted())
    return success();
  if (isTrial) {
    stopped = "'" + op->getName().getStringRef() +
              "' would need it, or what is computed with it, "
              "whole in a branch";
    return success();
  }
  return mlir::emitError(op->getLoc())
         << "'" << op->getName() << "' computes with a part of a variable that mesh=tp:" << parts
         << " cuts among ranks, which is not supported in branches; name other variables with "
            "tensor=NAME=DIMENSION";
}

LogicalResult TensorPlacement::placeOp(Operation *&op) {
  if (isa<scf::YieldOp>(op)) {
    placeYield(op);
    return success();
  }
  op = addSummandsFirst(splitProduct(op));
  std::optional<CarriedSum> sum = findCarriedSum(op);
  if (sum)
    carryLike(sum->argument, sum->added);
  SmallVector<Layout> given = getLayouts(op->getOperands());
  bool isAllWhole = llvm::all_of(given, [](const Layout &layout) { return layout.isWhole(); });
  if (failed(refuseNested(op)))
    return failure();
  Transfer whole{SmallVector<Layout>(given.size()), SmallVector<Layout>(op->getNumResults())};
  Transfer found = isAllWhole ? whole : findTransfer(op, given);
  join(op, found);
  noteExcess(op, found);
  if (sum)
    layouts[sum->argument] = found.results.front();
  noteResults(op, found);
  transfers[op] = std::move(found);
  return success();
}

void TensorPlacement::noteExcess(Operation *op, Transfer &found) {
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), found.results)) {
    if (layout.scale != 0)
      excess[result] = layout.scale;
    else
      excess.erase(result);
    layout.scale = 0;
  }
}

/// Whether values that are too large can be corrected: their elements are floats.
static bool mayScale(ValueRange values, ArrayRef<Layout> layouts) {
  return llvm::all_of(llvm::zip_equal(values, layouts), [](auto pair) {
    auto [value, layout] = pair;
    return layout.scale == 0 || isa<FloatType>(getElementTypeOrSelf(value));
  });
}

/// Whether each value that lies in parts can.
static bool areBlocks(ValueRange values, ArrayRef<Layout> layouts, int64_t parts) {
  return llvm::all_of(llvm::zip_equal(values, layouts), [&](auto pair) {
    auto [value, layout] = pair;
    if (!layout.isShard())
      return !layout.isOwn();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && TensorCut{layout.dimension, layout.outer}.fits(type, parts);
  });
}

Transfer TensorPlacement::findTransfer(Operation *op, ArrayRef<Layout> given) {
  if (isOperandByOperand(op))
    return placeOperands(op, given);
  return tokens.empty() ? findRuleTransfer(op, given) : placeTokens(op, given);
}

/// A summand goes to where summands meet, and not through products and reductions, which are
/// linear, too: a gradient would be one in all layers before.
Transfer TensorPlacement::findRuleTransfer(Operation *op, ArrayRef<Layout> given) const {
  Transfer whole{SmallVector<Layout>(given.size()), SmallVector<Layout>(op->getNumResults())};
  if (std::optional<Transfer> found = findVocabularyTransfer(op, given, parts))
    return *found;
  bool draws = isa<PlacedDrawsOpInterface>(op); // by the index in what a rank has
  FailureOr<ShardingRule> rule = findShardingRule(op);
  if (draws || failed(rule) || !isComputed(op))
    return whole;
  Transfer found = transfer(op, *rule, given, parts);
  auto isSum = [](const Layout &layout) { return layout.isSum(); };
  auto reduces = [](const Factor &factor) { return factor.kind == FactorKind::Sum; };
  if (llvm::any_of(found.operands, isSum) && llvm::any_of(rule->factors, reduces)) {
    SmallVector<Layout> completed(given);
    for (Layout &layout : completed)
      if (layout.isSum())
        layout = Layout::replicate(layout.scale);
    found = transfer(op, *rule, completed, parts);
  }
  bool fits = areBlocks(op->getOperands(), found.operands, parts) &&
              areBlocks(op->getResults(), found.results, parts) &&
              mayScale(op->getResults(), found.results);
  return fits ? found : whole;
}

Transfer TensorPlacement::placeOperands(Operation *op, ArrayRef<Layout> given) const {
  Transfer found{SmallVector<Layout>(given.size()), SmallVector<Layout>(op->getNumResults())};
  for (auto [index, layout] : llvm::enumerate(given)) {
    found.operands[index] = takenAlone(op, layout);
    if (getForm(op) && found.operands[index].isShard())
      found.results[index] = layout;
  }
  return found;
}

/// A variable that is used in parts is kept in parts.
void TensorPlacement::join(Operation *op, const Transfer &transfer) {
  for (auto [operand, wanted] : llvm::zip_equal(op->getOperands(), transfer.operands)) {
    if (!wanted.isShard() || !getLayout(operand).isReplicate())
      continue;
    auto found = findCutArgument(operand, {wanted.dimension, wanted.outer});
    if (!found || !step.getArgAttr(found->first.getArgNumber(), train::TrainDialect::kVariable))
      continue;
    auto type = cast<RankedTensorType>(found->first.getType());
    if (!found->second.fits(type, parts) ||
        !cut.insert({found->first.getArgNumber(), found->second}).second)
      continue;
    isWider = true;
    if (!tokens.empty() && !takesParts(op))
      ofTokens.insert(found->first.getArgNumber());
  }
}

//===----------------------------------------------------------------------===//
// Other forms of the same
//===----------------------------------------------------------------------===//

Operation *tutti::distribution::numbered(Operation *op, Operation *next) {
  (void)op->isBeforeInBlock(next);
  return op;
}

/// A product that is cut along what it sums over adds its C once, to the sum of all.
Operation *TensorPlacement::splitProduct(Operation *op) {
  auto gemm = dyn_cast<onnx::GemmOp>(op);
  if (!gemm || !gemm.getC() || gemm.getBeta().convertToFloat() != 1.0f ||
      !getLayout(gemm.getA()).isShard())
    return op;
  int64_t summed = gemm.getTransA() ? 0 : 1;
  if (getLayout(gemm.getA()).dimension != summed)
    return op;
  OpBuilder builder(op);
  OperationState product(op->getLoc(), op->getName());
  product.addOperands({gemm.getA(), gemm.getB()});
  product.addTypes(op->getResultTypes());
  product.addAttributes(op->getAttrs());
  Operation *alone = numbered(builder.create(product), op);
  OperationState sum(op->getLoc(), onnx::AddOp::getOperationName());
  sum.addOperands({alone->getResult(0), gemm.getC()});
  sum.addTypes(op->getResultTypes());
  Operation *added = numbered(builder.create(sum), op);
  op->replaceAllUsesWith(added);
  layouts.erase(op->getResult(0));
  op->erase();
  return alone; // the addition is the next operation of the block
}

/// (whole + summand) + summand is whole + (summand + summand), of which one sum is taken.
Operation *TensorPlacement::addSummandsFirst(Operation *op) {
  if (!isSum(op))
    return op;
  for (unsigned side : {0, 1}) {
    Value sum = op->getOperand(side), summand = op->getOperand(1 - side);
    Operation *inner = sum.getDefiningOp();
    if (!isSum(inner) || !sum.hasOneUse() || !getLayout(summand).isSum() ||
        !getLayout(sum).isWhole())
      continue;
    for (unsigned place : {0, 1}) {
      Value first = inner->getOperand(place), rest = inner->getOperand(1 - place);
      if (!getLayout(first).isSum() || !getLayout(rest).isWhole() ||
          getLayout(first).scale != getLayout(summand).scale)
        continue;
      OpBuilder builder(op);
      Operation *sums = numbered(builder.clone(*inner), op);
      sums->setOperands({first, summand});
      op->setOperands({rest, sums->getResult(0)});
      transfers.erase(inner);
      layouts.erase(inner->getResult(0));
      inner->erase();
      return sums; // `op` is the next one
    }
  }
  return op;
}

//===----------------------------------------------------------------------===//
// What it costs
//===----------------------------------------------------------------------===//

SmallVector<Operation *> TensorPlacement::getPlaced() const {
  Operation *end = getBlock().getTerminator();
  SmallVector<Operation *> placed;
  for (auto &[op, transfer] : transfers)
    if (op != end)
      placed.push_back(op);
  llvm::sort(placed, IsEarlier());
  return placed;
}

Layout TensorPlacement::getWanted(OpOperand &use, const program::VariablePlaces &places) const {
  Operation *user = use.getOwner();
  if (user == getBlock().getTerminator())
    return getReturned(use.getOperandNumber(), places);
  if (const Transfer *transfer = getTransfer(user))
    return transfer->operands[use.getOperandNumber()];
  return takenAlone(user, getLayout(use.get()));
}

SmallVector<TensorPlacement::Gather>
TensorPlacement::findGathers(const program::VariablePlaces &places) const {
  SmallVector<Gather> gathers;
  auto look = [&](Value value) {
    Layout layout = getLayout(value);
    if (!layout.isShard())
      return;
    Operation *first = nullptr;
    for (OpOperand &use : value.getUses()) {
      bool isNeeded = !isKept(layout, getWanted(use, places));
      if (isNeeded && (!first || IsEarlier()(use.getOwner(), first)))
        first = use.getOwner();
    }
    if (first)
      gathers.push_back({value, first});
  };
  for (auto [number, along] : cut)
    look(getBlock().getArgument(number));
  for (Operation *op : getPlaced())
    llvm::for_each(op->getResults(), look);
  llvm::for_each(exchanged, look);
  llvm::sort(gathers, [](auto &a, auto &b) { return IsEarlier()(a.user, b.user); });
  return gathers;
}

size_t TensorPlacement::countSums() const { return findCheapestSums(getPlaced(), *this).size(); }
