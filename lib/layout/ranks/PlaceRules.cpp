// What most operations do to the place of a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

#include "dialects/interfaces/Pointwise.h"
#include "dialects/train/Train.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tutti;
using tutti::train::TrainDialect;

Place RankLayouts::begin(Value value, Place::Kind kind) const {
  Place place;
  place.kind = uniformity.isUniform(value) ? Place::Replicate : kind;
  return place;
}

/// What is read of a dataset: on each rank its part of the batch, or on all the whole of it.
Place RankLayouts::getInput(FunctionOpInterface function, unsigned index, train::InputAttr input) {
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

Place RankLayouts::getArgument(FunctionOpInterface function, unsigned index) {
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

void RankLayouts::placeResults(Operation *op) {
  bool isKnown = placeConstant(op) || placeCollective(op) || placeSlice(op) || placePassing(op) ||
                 placeElementwise(op);
  if (!isKnown)
    placeUnknown(op);
}

//===----------------------------------------------------------------------===//
// Values that keep their places
//===----------------------------------------------------------------------===//

bool RankLayouts::placeConstant(Operation *op) {
  Attribute value;
  bool isFilled = isa<train::FullLikeOp>(op);
  if (!isFilled && !matchPattern(op, m_Constant(&value)))
    return false;
  Place place;
  place.kind = Place::Replicate;
  place.isEven = isFilled || !isa<ElementsAttr>(value) || isa<SplatElementsAttr>(value) ||
                 isScalar(op->getResult(0));
  setPlace(op->getResult(0), place);
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

bool RankLayouts::placeElementwise(Operation *op) {
  if (!isPointwise(op) || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return false;
  if (op->getNumOperands() == 3 && isa<arith::SelectOp, train::SelectOp>(op)) {
    setPlace(op->getResult(0), choose(op, op->getOperand(0), getPlace(op->getOperand(1)),
                                      getPlace(op->getOperand(2)), op->getResult(0)));
    return true;
  }
  bool isOfScalars = llvm::all_of(op->getOperands(), isScalar);
  std::optional<Place> main;
  bool isEven = true;
  for (OpOperand &operand : op->getOpOperands()) {
    const Place &place = getPlace(operand.get());
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
      addSources(*main, getPlace(operand.get()), true);
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
    setPlace(result, std::move(place));
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The rest
//===----------------------------------------------------------------------===//

void RankLayouts::placeUnknown(Operation *op) {
  Place made;
  made.kind = Place::Own;
  made.hiddenBy = mayCommunicate(op) ? op : nullptr;
  forEachTaken(op, [&](Value operand) {
    const Place &place = getPlace(operand);
    if (place.kind == Place::Shard || place.kind == Place::Unclear)
      made.kind = Place::Unclear;
    made.isOfBatch = made.isOfBatch || place.isOfBatch || place.list;
    made.addSources(place.sources);
  });
  for (Value result : op->getResults()) {
    Place place = made;
    place.kind = begin(result, made.kind).kind;
    place.isEven = place.kind == Place::Replicate && isScalar(result);
    setPlace(result, std::move(place));
  }
}
