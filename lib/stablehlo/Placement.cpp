// Placing values: operation by operation, loops until nothing changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/stablehlo/Placement.h"

#include "lib/stablehlo/Ops.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tutti::stablehlo;

const Rule *Placement::getRule(Operation *op) const {
  auto found = rules.find(op);
  return found == rules.end() ? nullptr : &found->second;
}

SmallVector<Form> Placement::getForms(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return getForm(value); });
}

void Placement::setRule(Operation *op, Rule rule) {
  for (auto [result, form] : llvm::zip_equal(op->getResults(), rule.results))
    forms[result] = form;
  rules[op] = std::move(rule);
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
  Question question{op, getForms(op->getOperands()), ranks};
  std::optional<Rule> rule = findRule(question);
  if (!rule)
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' " << question.reason;
  setRule(op, std::move(*rule));
  return success();
}

/// T with parts of the batch added at rows is T plus zeros with the same added.
Operation *Placement::splitScatter(Operation *op) {
  if (!isKind(op, "scatter") || op->getNumOperands() != 3 || isZero(op->getOperand(0)) ||
      getReduction(op->getRegion(0)) != "add")
    return op;
  bool takesParts = getForm(op->getOperand(1)).isPart() || getForm(op->getOperand(2)).isPart();
  bool isBatched = !getListIn(op, "scatter_dimension_numbers", "input_batching_dims").empty();
  if (getForm(op->getOperand(0)).isPart() || !takesParts || isBatched)
    return op;
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Value zeros =
      createConstant(builder, op->getLoc(),
                     DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
  setRule(zeros.getDefiningOp(), {{}, {Form::whole()}});
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
static std::optional<Form> widen(Form now, Form yielded) {
  if (now.isSum() && yielded.isSum())
    return now;
  if (now.isPart() && yielded.isPart() && now != yielded)
    return std::nullopt;
  return now.isPart() ? now : yielded.isPart() ? yielded : Form::whole();
}

/// A sum that grows in a loop starts at zero. That every such value is one is a guess, which is
/// given up where the body yields something else.
static Form guessCarried(Value start, Form form) {
  auto type = dyn_cast<RankedTensorType>(start.getType());
  if (form.isWhole() && type && isa<FloatType>(type.getElementType()) && isZero(start))
    return Form::partial("add");
  return form.isPartial() ? Form::whole() : form;
}

LogicalResult Placement::placeTrip(Operation *op, ArrayRef<Form> carried,
                                   SmallVectorImpl<Form> &yielded) {
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock() || region.getNumArguments() != carried.size())
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' has regions of another "
             << "shape than one block with an argument for each value";
    for (auto [argument, form] : llvm::zip_equal(region.getArguments(), carried))
      setForm(argument, form);
    if (failed(place(region.front())))
      return failure();
  }
  Operation *condition = op->getRegion(0).front().getTerminator();
  rules[condition] = {{Form::whole()}, {}};
  yielded = getForms(op->getRegion(1).front().getTerminator()->getOperands());
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
  SmallVector<Form> carried, yielded;
  for (Value start : op->getOperands())
    carried.push_back(guessCarried(start, getForm(start)));
  for (bool isChanged = true; isChanged;) { // from sum to whole to part, each at most once
    isChanged = false;
    if (failed(placeTrip(op, carried, yielded)))
      return failure();
    for (unsigned i = 0; i < carried.size(); ++i) {
      std::optional<Form> next = widen(carried[i], yielded[i]);
      if (!next)
        return mlir::emitError(op->getLoc())
               << "'" << op->getName() << "' carries value " << i
               << ", whose samples lie along another dimension behind a trip than before it";
      isChanged |= *next != carried[i];
      carried[i] = *next;
    }
  }
  rules[op->getRegion(1).front().getTerminator()] = {carried, {}};
  setRule(op, {carried, carried});
  return success();
}

LogicalResult Placement::placeBranches(Operation *op) {
  if (failed(checkRegions(op, 1, [&](unsigned) { return op->getNumResults(); })))
    return failure();
  if (op->getNumOperands() != 1)
    return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' needs one operand";
  SmallVector<Form> joined;
  for (Region &region : op->getRegions()) {
    if (failed(place(region.front())))
      return failure();
    SmallVector<Form> yielded = getForms(region.front().getTerminator()->getOperands());
    for (auto [index, form] : llvm::enumerate(yielded)) {
      if (index >= joined.size())
        joined.push_back(form);
      else if (joined[index].isPart() && form.isPart() && joined[index] != form)
        return mlir::emitError(op->getLoc()) << "'" << op->getName() << "' gives samples along "
                                             << "different dimensions";
      else if (joined[index] != form)
        joined[index] = joined[index].isPart() ? joined[index]
                        : form.isPart()        ? form
                                               : Form::whole();
    }
  }
  for (Form &form : joined)
    form = form.isPartial() && !form.isSum() ? Form::whole() : form;
  for (Region &region : op->getRegions())
    rules[region.front().getTerminator()] = {joined, {}};
  setRule(op, {{Form::whole()}, joined});
  return success();
}
