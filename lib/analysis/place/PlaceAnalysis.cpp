// The walk, and what most operations do to the place of a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/place/PlaceAnalysis.h"

#include "dialects/interfaces/Optimizer.h"
#include "dialects/interfaces/Pointwise.h"
#include "dialects/train/Train.h"
#include "lib/analysis/order/RankTrace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tutti;
using tutti::train::TrainDialect;

PlaceAnalysis::PlaceAnalysis(FunctionOpInterface function, const UniformityAnalysis &uniformity)
    : uniformity(uniformity), table(SymbolTable::getNearestSymbolTable(function->getParentOp())),
      worldSize(findWorldSize(table)), numbers(worldSize) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments())
    set(argument, getArgument(function, argument.getArgNumber()));
  for (Block &block : function.getFunctionBody())
    visitBlock(block);
}

const Place &PlaceAnalysis::get(Value value) const {
  static const Place unclear;
  auto found = places.find(value);
  return found == places.end() ? unclear : *found->second;
}

/// What all ranks have alike, and what was made of their own samples, is made of those of all.
void PlaceAnalysis::set(Value value, Place place) {
  if (place.kind == Place::Replicate)
    for (Source &source : place.sources)
      source.isAll |= std::exchange(source.isOwn, false);
  Place *&where = places[value];
  where = where ? &(*where = std::move(place)) : &kept.emplace_back(std::move(place));
}

Place PlaceAnalysis::begin(Value value, Place::Kind kind) const {
  Place place;
  place.kind = uniformity.isUniform(value) ? Place::Replicate : kind;
  return place;
}

static bool isScalar(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return !type || (type.hasRank() && type.getRank() == 0);
}

/// What is read of a dataset: on each rank its part of the batch, or on all the whole of it.
Place PlaceAnalysis::getInput(FunctionOpInterface function, unsigned index,
                              train::InputAttr input) {
  Place place = begin(function.getArgument(index), Place::Own);
  place.isOfBatch = place.kind == Place::Replicate;
  Source source;
  source.input = StringAttr::get(input.getContext(), input.getName());
  source.isOwn = true;
  place.sources.push_back(source);
  auto dataset =
      SymbolTable::lookupNearestSymbolFrom<train::DatasetOp>(function, input.getDataset());
  if (dataset && dataset.getShard())
    groupsOfInputs[source.input] = findGroup(dataset, dataset.getShard()->getGroup());
  return place;
}

Place PlaceAnalysis::getArgument(FunctionOpInterface function, unsigned index) {
  if (auto input = function.getArgAttrOfType<train::InputAttr>(index, TrainDialect::kInput))
    return getInput(function, index, input);
  Value argument = function.getArgument(index);
  Place place = begin(argument, Place::Own);
  place.isEven = place.kind == Place::Replicate && isScalar(argument);
  auto variable = function.getArgAttrOfType<train::VariableAttr>(index, TrainDialect::kVariable);
  if (!variable || place.kind == Place::Replicate)
    return place;
  if (variable.getPlacement() == train::VariablePlacement::PerRank) {
    Source own;
    own.isOwn = true;
    place.sources.push_back(own);
    return place;
  }
  place.kind = Place::Unclear;
  for (auto group : table->getRegion(0).getOps<GroupOpInterface>())
    if (group.isOfWholeWorld() && place.cuts.empty()) {
      place.kind = Place::Shard; // rows of elements, as distribute-shard-optimizer makes them
      place.cuts.push_back({0, group, {}, nullptr});
    }
  return place;
}

void PlaceAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void PlaceAnalysis::visit(Operation *op) {
  if (op->getNumResults() == 0 && op->getNumRegions() == 0)
    return;
  bool isKnown = visitConstant(op) || visitCollective(op) || visitSlice(op) || visitControl(op) ||
                 visitPassing(op) || visitElementwise(op);
  if (!isKnown)
    visitUnknown(op);
}

//===----------------------------------------------------------------------===//
// Values that keep their places
//===----------------------------------------------------------------------===//

bool PlaceAnalysis::visitConstant(Operation *op) {
  Attribute value;
  bool isFilled = isa<train::FullLikeOp>(op);
  if (!isFilled && !matchPattern(op, m_Constant(&value)))
    return false;
  Place place;
  place.kind = Place::Replicate;
  place.isEven = isFilled || !isa<ElementsAttr>(value) || isa<SplatElementsAttr>(value) ||
                 isScalar(op->getResult(0));
  set(op->getResult(0), place);
  return true;
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

/// What one of several operands says of the place of all; the others must agree.
static void combine(Place &result, const Place &other, Operation *op) {
  bool isLenient = result.isOfBatch || other.isOfBatch;
  result.isOfBatch = isLenient;
  result.hiddenBy = result.hiddenBy ? result.hiddenBy : other.hiddenBy;
  if (other.fault != PlaceFault::None)
    result.setFault(other.fault, other.faultOp);
  if (other.kind == Place::Unclear || (other.kind == Place::Own && result.kind == Place::Shard))
    result.kind = Place::Unclear;
  else if (other.kind == Place::Own && result.kind == Place::Replicate)
    result.kind = Place::Own;
  if (result.kind != Place::Shard && other.kind != Place::Shard)
    return;
  if (result.kind == Place::Replicate && result.isEven) {
    result.kind = Place::Shard;
    result.cuts = other.cuts;
    return;
  }
  bool areParts = result.kind == Place::Shard && other.kind == Place::Shard;
  bool isEqual = areParts ? llvm::equal(result.cuts, other.cuts)
                          : other.kind == Place::Replicate && other.isEven;
  if (isEqual)
    return;
  if (!isLenient && result.kind != Place::Own && result.kind != Place::Unclear)
    result.setFault(areParts ? PlaceFault::MixedParts : PlaceFault::MixedWhole, op);
  result.kind = Place::Unclear;
}

/// Samples that only scale what other samples make do not count as reaching it.
static void addSources(Place &result, const Place &other, bool isScale) {
  SmallVector<Source> fresh;
  for (const Source &source : other.sources)
    if (!isScale ||
        llvm::none_of(result.sources, [&](const Source &own) { return own.input == source.input; }))
      fresh.push_back(source);
  result.addSources(fresh);
}

/// Operands that decide or measure, and do not flow into the results element by element.
static bool isControl(Operation *op, unsigned operand) {
  if (isa<train::UnscaleOp, train::ClipOp>(op))
    return operand > 0;
  return isa<arith::SelectOp, train::SelectOp>(op) && operand == 0;
}

bool PlaceAnalysis::visitElementwise(Operation *op) {
  if (!isPointwise(op) || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return false;
  if (op->getNumOperands() == 3 && isa<arith::SelectOp, train::SelectOp>(op)) {
    set(op->getResult(0), choose(op, op->getOperand(0), get(op->getOperand(1)),
                                 get(op->getOperand(2)), op->getResult(0)));
    return true;
  }
  bool isOfScalars = llvm::all_of(op->getOperands(), isScalar);
  std::optional<Place> main;
  bool isEven = true;
  for (OpOperand &operand : op->getOpOperands()) {
    const Place &place = get(operand.get());
    isEven = isEven && place.isEven;
    if ((isScalar(operand.get()) && !isOfScalars) || isControl(op, operand.getOperandNumber()))
      continue;
    if (!main) {
      main = place;
      continue;
    }
    combine(*main, place, op);
    addSources(*main, place, false);
    if (!main->list && place.list)
      main->list = place.list;
  }
  if (!main)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isScale = isScalar(operand.get()) && !isOfScalars;
    if (isScale && main->kind == Place::Shard && !uniformity.isUniform(operand.get()))
      main->kind = Place::Unclear; // each part on a scale of its own
    if (isScale && !isControl(op, operand.getOperandNumber()))
      addSources(*main, get(operand.get()), true);
    if (isa<arith::MulFOp, arith::MulIOp, train::ScaleOp>(op))
      weigh(*main, op, operand.get());
  }
  main->isEven = isEven;
  for (Value result : op->getResults()) {
    Place place = *main;
    if (uniformity.isUniform(result))
      place.kind = Place::Replicate;
    else if (place.kind == Place::Replicate) // scaled by each rank's own scalar
      place.kind = Place::Own;
    if (place.kind != Place::Shard)
      place.cuts.clear();
    set(result, std::move(place));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

/// Whether values may cross ranks where this analysis does not look.
bool PlaceAnalysis::mayCommunicate(Operation *op) {
  auto call = dyn_cast<CallOpInterface>(op);
  Operation *inside = call ? call.resolveCallable() : op->getNumRegions() != 0 ? op : nullptr;
  if (!inside)
    return false;
  auto [known, isNew] = communicating.try_emplace(inside, false);
  if (isNew)
    known->second = communicates(inside);
  return known->second;
}

/// The values that `op` takes, itself or in its regions, from outside.
static void forEachTaken(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (inner == op || !op->isAncestor(operand.getParentBlock()->getParentOp()))
        visit(operand);
  });
}

void PlaceAnalysis::visitUnknown(Operation *op) {
  Place made;
  made.kind = Place::Own;
  made.hiddenBy = mayCommunicate(op) ? op : nullptr;
  forEachTaken(op, [&](Value operand) {
    const Place &place = get(operand);
    if (place.kind == Place::Shard || place.kind == Place::Unclear)
      made.kind = Place::Unclear;
    made.isOfBatch = made.isOfBatch || place.isOfBatch || place.list;
    made.addSources(place.sources);
  });
  for (Value result : op->getResults()) {
    Place place = made;
    place.kind = begin(result, made.kind).kind;
    place.isEven = place.kind == Place::Replicate && isScalar(result);
    set(result, std::move(place));
  }
}

/// A loop's body is looked at twice: with what it starts from, and with what it hands on. Of loops
/// in loops in loops that is more than twice; the innermost ones of many are not looked at.
void PlaceAnalysis::visitLoop(scf::ForOp loop) {
  constexpr unsigned deepest = 6;
  if (depth == deepest)
    return visitUnknown(loop);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  set(loop.getInductionVar(), begin(loop.getInductionVar(), Place::Own));
  auto yielded = cast<scf::YieldOp>(loop.getBody()->getTerminator()).getOperands();
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
    set(argument, get(init));
  visitBlock(*loop.getBody());
  for (auto [argument, init, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs(), yielded))
    set(argument, join(get(init), get(next), argument));
  visitBlock(*loop.getBody());
  for (auto [result, init, next] : llvm::zip_equal(loop.getResults(), loop.getInitArgs(), yielded))
    set(result, join(get(init), get(next), result));
}

/// What one of several regions yields, each of one block that ends with as many values as there are
/// results.
bool PlaceAnalysis::visitRegions(Operation *op) {
  SmallVector<ValueRange> yielded;
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock() || region.front().getNumArguments() != 0)
      return false;
    visitBlock(region.front());
    yielded.push_back(region.front().getTerminator()->getOperands());
    if (yielded.back().size() != op->getNumResults())
      return false;
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Place place = get(yielded.front()[i]);
    for (ValueRange values : ArrayRef(yielded).drop_front())
      place = join(place, get(values[i]), result);
    set(result, std::move(place));
  }
  return true;
}

/// A function of one block is looked at with what it is called with, a few times at most.
bool PlaceAnalysis::visitCall(CallOpInterface call) {
  constexpr unsigned most = 4;
  auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
  bool isKnown = callee && !callee.isExternal() && callee.getFunctionBody().hasOneBlock() &&
                 callee.getNumArguments() == call.getArgOperands().size();
  if (!isKnown || callsOf[callee]++ >= most)
    return false;
  Block &body = callee.getFunctionBody().front();
  for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), call.getArgOperands()))
    set(argument, get(operand));
  visitBlock(body);
  ValueRange returned = body.getTerminator()->getOperands();
  if (returned.size() != call->getNumResults())
    return false;
  for (auto [result, value] : llvm::zip_equal(call->getResults(), returned))
    set(result, join(get(value), get(value), result));
  return true;
}

bool PlaceAnalysis::visitControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    visitLoop(loop);
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        visitBlock(block);
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      set(result, choose(op, branch.getCondition(), get(branch.thenYield().getOperand(i)),
                         get(branch.elseYield().getOperand(i)), result));
    return true;
  }
  if (isa<CommunicationStartOpInterface>(op) && op->getNumRegions() == 1) {
    visitBlock(op->getRegion(0).front());
    return true;
  }
  if (isa<scf::ExecuteRegionOp, scf::IndexSwitchOp>(op))
    return visitRegions(op);
  if (auto call = dyn_cast<CallOpInterface>(op))
    return visitCall(call);
  auto done = dyn_cast<CommunicationDoneOpInterface>(op);
  if (!done || !findStart(done))
    return false;
  for (OpResult output : op->getResults())
    if (Value promised = findPromised(done, output.getResultNumber()))
      set(output, get(promised));
  return true;
}
