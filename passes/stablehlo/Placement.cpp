// Placing values: operation by operation, loops until nothing changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/stablehlo/Placement.h"

#include "lib/layout/ShardingRules.h"
#include "lib/stablehlo/Ops.h"
#include "lib/stablehlo/Rules.h"
#include "passes/stablehlo/Refusals.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;

const Transfer *Placement::getTransfer(Operation *op) const {
  auto found = transfers.find(op);
  return found == transfers.end() ? nullptr : &found->second;
}

SmallVector<Layout> Placement::getLayouts(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return getLayout(value); });
}

void Placement::setTransfer(Operation *op, Transfer transfer) {
  for (auto [result, layout] : llvm::zip_equal(op->getResults(), transfer.results))
    layouts[result] = layout;
  transfers[op] = std::move(transfer);
}

LogicalResult Placement::place(Block &block) {
  for (Operation *op = block.empty() ? nullptr : &block.front(); op; op = op->getNextNode())
    if (!op->hasTrait<OpTrait::IsTerminator>() && !isKind(op, "return") && failed(placeOp(op)))
      return failure();
  return success();
}

LogicalResult Placement::placeOp(Operation *&op) {
  if (isKind(op, "while"))
    return placeWhile(op);
  if (isKind(op, "if") || isKind(op, "case"))
    return placeBranches(op);
  op = splitScatter(op);
  FailureOr<Transfer> found = findTransfer(op);
  if (failed(found))
    return failure();
  setTransfer(op, std::move(*found));
  return success();
}

/// Values that pass a barrier lie after it as before it, each by itself.
static Transfer passBarrier(SmallVector<Layout> given) {
  bool passes = llvm::all_of(
      given, [](const Layout &layout) { return layout.isReplicate() || layout.isSum(); });
  for (Layout &layout : given)
    if (layout.isPartial() && !passes)
      layout = Layout::replicate();
  return {given, given};
}

/// Whether values that lie as `given` says are taken as `wanted` says with all samples where they
/// are.
static bool keepsParts(ArrayRef<Layout> given, ArrayRef<Layout> wanted) {
  return llvm::all_of(llvm::zip_equal(given, wanted), [](auto pair) {
    auto [from, to] = pair;
    return from == to || !from.isShard();
  });
}

FailureOr<Transfer> Placement::findTransfer(Operation *op) const {
  SmallVector<Layout> given = getLayouts(op->getOperands());
  auto refuse = [&](const std::string &reason) {
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' " << reason;
  };
  Transfer whole{SmallVector<Layout>(given.size()), SmallVector<Layout>(op->getNumResults())};
  if (op->hasTrait<OpTrait::ConstantLike>()) // of dialects that are known
    return whole;
  if (!isPure(getKind(op)))
    return refuse(explainUnknown(op));
  if (llvm::all_of(given, [](const Layout &layout) { return layout.isReplicate(); }))
    return whole;
  if (!isWellFormed(op))
    return refuse(explainMalformed());
  if (isKind(op, "optimization_barrier"))
    return passBarrier(std::move(given));
  FailureOr<ShardingRule> rule = tutti::findShardingRule(op);
  Transfer found = succeeded(rule) ? transfer(op, *rule, given, ranks) : whole;
  auto isOneBlock = [](const Layout &layout) { return layout.outer == 1; }; // not of each range
  if (!keepsParts(given, found.operands) || !llvm::all_of(found.results, isOneBlock))
    return refuse(failed(rule) ? explainNoRule(op, ranks)
                               : explainRefusal(op, *rule, given, ranks));
  return found;
}

/// T with parts of the batch added at rows is T plus zeros with the same added.
Operation *Placement::splitScatter(Operation *op) {
  if (!isKind(op, "scatter") || op->getNumOperands() != 3 || stablehlo::isZero(op->getOperand(0)) ||
      getReduction(op->getRegion(0)) != "add")
    return op;
  bool takesParts =
      getLayout(op->getOperand(1)).isShard() || getLayout(op->getOperand(2)).isShard();
  bool isBatched = !getListIn(op, "scatter_dimension_numbers", "input_batching_dims").empty();
  if (getLayout(op->getOperand(0)).isShard() || !takesParts || isBatched)
    return op;
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Value zeros =
      createConstant(builder, op->getLoc(),
                     DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
  setTransfer(zeros.getDefiningOp(), {{}, {Layout::replicate()}});
  Operation *scatter = builder.clone(*op);
  scatter->setOperand(0, zeros);
  Operation *sum =
      create(builder, op->getLoc(), "add", type, {op->getOperand(0), scatter->getResult(0)});
  op->replaceAllUsesWith(sum);
  op->erase();
  return scatter; // the addition is the next operation of the block
}

/// How a value is carried that was supposed to be `now` and is yielded as `yielded`; nothing if its
/// samples would lie along two dimensions.
static std::optional<Layout> widen(Layout now, Layout yielded) {
  if (now.isSum() && yielded.isSum())
    return now;
  if (now.isShard() && yielded.isShard() && now != yielded)
    return std::nullopt;
  return now.isShard() ? now : yielded.isShard() ? yielded : Layout::replicate();
}

/// A sum that grows in a loop starts at zero. That every such value is one is a guess, which is
/// given up where the body yields something else.
static Layout guessCarried(Value start, Layout layout) {
  auto type = dyn_cast<RankedTensorType>(start.getType());
  if (layout.isReplicate() && type && isa<FloatType>(type.getElementType()) &&
      stablehlo::isZero(start))
    return Layout::partial(Reduction::Sum);
  return layout.isPartial() ? Layout::replicate() : layout;
}

LogicalResult Placement::placeTrip(Operation *op, ArrayRef<Layout> carried,
                                   SmallVectorImpl<Layout> &yielded) {
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock() || region.getNumArguments() != carried.size())
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' has regions of another "
             << "shape than one block with an argument for each value";
    for (auto [argument, layout] : llvm::zip_equal(region.getArguments(), carried))
      setLayout(argument, layout);
    if (failed(place(region.front())))
      return failure();
  }
  Operation *condition = op->getRegion(0).front().getTerminator();
  transfers[condition] = {{Layout::replicate()}, {}};
  yielded = getLayouts(op->getRegion(1).front().getTerminator()->getOperands());
  return success();
}

/// Whether each region has one block that ends with as many values as `yields` says.
static LogicalResult checkRegions(Operation *op, unsigned regions,
                                  llvm::function_ref<unsigned(unsigned)> yields) {
  bool isRight = op->getNumRegions() >= regions;
  for (Region &region : op->getRegions())
    isRight = isRight && region.hasOneBlock() && !region.front().empty() &&
              isKind(&region.front().back(), "return") &&
              region.front().back().getNumOperands() == yields(region.getRegionNumber());
  if (isRight)
    return success();
  return mlir::emitError(op->getLoc())
         << "'" << op->getName() << "' is not well formed: expected at least " << regions
         << " regions of one block that return what it gives";
}

LogicalResult Placement::placeWhile(Operation *op) {
  if (failed(checkRegions(op, 2,
                          [&](unsigned region) { return region == 0 ? 1 : op->getNumResults(); })))
    return failure();
  if (op->getNumRegions() != 2 || op->getOperandTypes() != op->getResultTypes())
    return mlir::emitError(op->getLoc())
           << "'" << op->getName() << "' is not well formed: expected "
           << "two regions, and results of the types of its operands";
  constexpr unsigned deepest = 8; // each looks several times at those in it
  if (depth == deepest)
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' stands in " << deepest
                                         << " loops, one in the other, which are more than are "
                                            "followed: write the inner loops as "
                                            "operations on arrays, or unroll them";
  llvm::SaveAndRestore deeper(depth, depth + 1);
  SmallVector<Layout> carried, yielded;
  for (Value start : op->getOperands())
    carried.push_back(guessCarried(start, getLayout(start)));
  for (bool isChanged = true; isChanged;) { // from sum to whole to part, each at most once
    isChanged = false;
    if (failed(placeTrip(op, carried, yielded)))
      return failure();
    for (unsigned i = 0; i < carried.size(); ++i) {
      std::optional<Layout> next = widen(carried[i], yielded[i]);
      if (!next)
        return mlir::emitError(op->getLoc())
               << "'" << op->getName() << "' carries value " << i
               << ", whose samples lie along another dimension after a trip than before it";
      isChanged |= *next != carried[i];
      carried[i] = *next;
    }
  }
  transfers[op->getRegion(1).front().getTerminator()] = {carried, {}};
  setTransfer(op, {carried, carried});
  return success();
}

LogicalResult Placement::placeBranches(Operation *op) {
  if (failed(checkRegions(op, 1, [&](unsigned) { return op->getNumResults(); })))
    return failure();
  if (op->getNumOperands() != 1)
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' needs one operand";
  SmallVector<Layout> joined;
  for (Region &region : op->getRegions()) {
    if (failed(place(region.front())))
      return failure();
    SmallVector<Layout> yielded = getLayouts(region.front().getTerminator()->getOperands());
    for (auto [index, layout] : llvm::enumerate(yielded)) {
      if (index >= joined.size())
        joined.push_back(layout);
      else if (joined[index].isShard() && layout.isShard() && joined[index] != layout)
        return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' gives samples along "
                                             << "different dimensions";
      else if (joined[index] != layout)
        joined[index] = joined[index].isShard() ? joined[index]
                        : layout.isShard()      ? layout
                                                : Layout::replicate();
    }
  }
  for (Layout &layout : joined)
    layout = layout.isPartial() && !layout.isSum() ? Layout::replicate() : layout;
  for (Region &region : op->getRegions())
    transfers[region.front().getTerminator()] = {joined, {}};
  setTransfer(op, {{Layout::replicate()}, joined});
  return success();
}
