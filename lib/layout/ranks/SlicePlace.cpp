// Slices: which part of a value a rank takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"

using namespace mlir;
using namespace tutti;

//===----------------------------------------------------------------------===//
// The rank's part
//===----------------------------------------------------------------------===//

/// The number of each rank of the world in its set, -1 for ranks in none; empty where that is not
/// known.
ArrayRef<int64_t> RankLayouts::getNumbers(GroupOpInterface group) {
  auto [entry, isNew] = numbersInGroups.try_emplace(group);
  if (!isNew || !worldSize)
    return entry->second;
  SmallVector<int64_t> found(*worldSize, -1);
  for (int64_t rank = 0; rank < *worldSize; ++rank) {
    if (found[rank] >= 0)
      continue;
    std::optional<SmallVector<int64_t>> set = group.getMembersWith(rank, *worldSize);
    if (!set)
      return entry->second;
    for (auto [number, member] : llvm::enumerate(*set))
      found[member] = number;
  }
  return entry->second = std::move(found);
}

std::optional<SmallVector<int64_t>> RankLayouts::getOffsets(OpFoldResult offset) {
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return SmallVector<int64_t>(worldSize.value_or(1), *constant);
  return numbers.getIntegers(cast<Value>(offset));
}

/// Whether as many parts as a set has ranks make up dimension `dim` of the source of `op`, as far
/// as sizes are known.
static bool makeUpWhole(tensor::ExtractSliceOp op, int64_t dim, GroupOpInterface group) {
  int64_t whole = op.getSourceType().getDimSize(dim), part = op.getStaticSizes()[dim];
  if (!group.holdsEveryRank() || !group.isOfEqualSets())
    return false;
  std::optional<int64_t> ranks =
      group.isOfWholeWorld() ? findWorldSizeAt(group) : group.getSizeOfSets();
  bool areKnown = ranks && !ShapedType::isDynamic(whole) && !ShapedType::isDynamic(part);
  return !areKnown || part * *ranks == whole;
}

/// The group of which each rank takes its part by these offsets, or null.
GroupOpInterface RankLayouts::findGroupOfParts(tensor::ExtractSliceOp op, int64_t dim,
                                               ArrayRef<int64_t> offsets) {
  int64_t length = op.getStaticSizes()[dim];
  if (!table || ShapedType::isDynamic(length))
    return {};
  for (auto group : table->getRegion(0).getOps<GroupOpInterface>()) {
    ArrayRef<int64_t> places = getNumbers(group);
    bool isOwn = places.size() == offsets.size() && makeUpWhole(op, dim, group);
    for (size_t rank = 0; isOwn && rank < offsets.size(); ++rank)
      isOwn = places[rank] >= 0 && offsets[rank] == places[rank] * length;
    if (isOwn)
      return group;
  }
  return {};
}

/// The group whose rank `value` is, or null.
static GroupOpInterface findRankOf(Value value) {
  RankQueryOpInterface rank = findQuestion(value, RankQuestion::Rank);
  return rank ? findGroup(rank, rank.getQuestion().group) : GroupOpInterface();
}

/// The same where the offset is written as the rank times the length, however many ranks there are.
GroupOpInterface RankLayouts::findGroupOfParts(tensor::ExtractSliceOp op, int64_t dim) {
  auto offset = dyn_cast<Value>(op.getMixedOffsets()[dim]);
  OpFoldResult length = op.getMixedSizes()[dim];
  Operation *product = offset ? offset.getDefiningOp() : nullptr;
  GroupOpInterface group;
  if (isa_and_nonnull<arith::MulIOp, index::MulOp>(product)) {
    for (unsigned i : {0, 1})
      if (isEqualConstantIntOrValue(product->getOperand(1 - i), length))
        group = group ? group : findRankOf(product->getOperand(i));
  } else if (offset && isConstantIntValue(length, 1)) {
    group = findRankOf(offset);
  }
  return group && makeUpWhole(op, dim, group) ? group : GroupOpInterface();
}

/// Cuts `place` along `dim`; false where it is not known how ranks differ there.
bool RankLayouts::cut(Place &place, tensor::ExtractSliceOp op, int64_t dim) {
  OpFoldResult offset = op.getMixedOffsets()[dim], size = op.getMixedSizes()[dim];
  auto isAlike = [&](OpFoldResult value) {
    return isa<Attribute>(value) || uniformity.isUniform(cast<Value>(value));
  };
  if (isAlike(offset) && isAlike(size))
    return true;                                            // the same of it on all ranks
  if (GroupOpInterface group = findGroupOfParts(op, dim)) { // as is written most often
    place.cuts.push_back({dim, group, {}, op});
    return true;
  }
  std::optional<SmallVector<int64_t>> offsets = getOffsets(offset);
  if (!offsets)
    return false;
  if (llvm::all_equal(*offsets) && isAlike(size))
    return true;
  if (GroupOpInterface group = findGroupOfParts(op, dim, *offsets))
    place.cuts.push_back({dim, group, {}, op});
  else
    place.cuts.push_back({dim, {}, DenseI64ArrayAttr::get(op.getContext(), *offsets), op});
  return true;
}

//===----------------------------------------------------------------------===//
// Lists of the values of all ranks
//===----------------------------------------------------------------------===//

/// What is taken of a list is some ranks' values: this rank's own, another's, or the same ones on
/// all. What lies where only data tell is not judged.
void RankLayouts::takeFromList(Place &place, Operation *op, OpFoldResult offset, int64_t length) {
  Place::List list = *std::exchange(place.list, std::nullopt);
  place.isOfBatch = true;
  std::optional<SmallVector<int64_t>> offsets = getOffsets(offset);
  bool isKnown = offsets && !ShapedType::isDynamic(length) && !ShapedType::isDynamic(list.length);
  if (!isKnown || list.length <= 0 || length <= 0)
    return;
  SmallVector<Source, 1> sources = list.sources;
  bool isAlike = llvm::all_equal(*offsets);
  if (isAlike) {
    int64_t first = offsets->front() / list.length;
    int64_t last = (offsets->front() + length - 1) / list.length;
    for (Source &source : sources) {
      if (!std::exchange(source.isOwn, false))
        continue;
      for (int64_t rank = first; rank <= last; ++rank)
        source.some.push_back(rank);
      source.chooser = op;
    }
  } else {
    ArrayRef<int64_t> places = getNumbers(list.group);
    bool isOwn = length <= list.length && places.size() == offsets->size();
    for (size_t rank = 0; isOwn && rank < offsets->size(); ++rank)
      isOwn = (*offsets)[rank] / list.length == places[rank] &&
              ((*offsets)[rank] + length - 1) / list.length == places[rank];
    for (Source &source : sources)
      if (source.isOwn && !isOwn && length <= list.length)
        source.exchanger = op;
    place.kind = place.kind == Place::Replicate ? Place::Own : place.kind;
  }
  // What was all ranks' already stays so.
  for (Source &source : place.sources)
    if (const auto *own = llvm::find_if(
            sources, [&](const Source &other) { return other.input == source.input; });
        own != sources.end())
      source = *own;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static bool isWhole(tensor::ExtractSliceOp op, int64_t dim) {
  return isConstantIntValue(op.getMixedOffsets()[dim], 0) &&
         !ShapedType::isDynamic(op.getSourceType().getDimSize(dim)) &&
         op.getStaticSizes()[dim] == op.getSourceType().getDimSize(dim);
}

/// Dimensions that the result lacks are counted no more.
static void dropDimensions(Place &place, const llvm::SmallBitVector &dropped) {
  auto renumber = [&](int64_t &dim) {
    bool isKept = !dropped.test(dim);
    for (int64_t before = dim; before-- > 0;)
      dim -= dropped.test(before);
    return isKept;
  };
  for (Cut &cut : place.cuts)
    if (!renumber(cut.dim))
      place.kind = place.findOddCut() ? place.kind : Place::Unclear;
  if (place.list && !renumber(place.list->dim))
    place.list.reset();
}

Place RankLayouts::slice(tensor::ExtractSliceOp op) {
  Place place = getPlace(op.getSource());
  bool isKnown = op.hasUnitStride() || place.kind == Place::Own;
  bool isOfList = false;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    if (isWhole(op, dim))
      continue;
    bool isCut = llvm::any_of(place.cuts, [&](const Cut &cut) { return cut.dim == dim; });
    if (place.list && place.list->dim == dim) {
      isOfList = true;
      takeFromList(place, op, op.getMixedOffsets()[dim], op.getStaticSizes()[dim]);
    } else if (isOfList || place.kind == Place::Own) {
      continue;
    } else {
      size_t before = place.cuts.size();
      isKnown = isKnown && cut(place, op, dim);
      bool isCutAgain = place.cuts.size() > before && place.cuts.back().isOfRank();
      isKnown = isKnown && (!isCut || isCutAgain); // not where it is the same of each part
    }
  }
  if (!place.cuts.empty() && place.kind == Place::Replicate)
    place.kind = Place::Shard;
  if (uniformity.isUniform(op.getResult()))
    place.kind = Place::Replicate;
  else if (!isKnown || place.kind == Place::Replicate)
    place.kind = isOfList ? Place::Own : Place::Unclear;
  if (place.kind != Place::Shard)
    place.cuts.clear();
  dropDimensions(place, op.getDroppedDims());
  return place;
}

bool RankLayouts::placeSlice(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    setPlace(slice.getResult(), this->slice(slice));
    return true;
  }
  auto element = dyn_cast<tensor::ExtractOp>(op);
  if (!element)
    return false;
  Place place = getPlace(element.getTensor());
  if (place.list)
    takeFromList(place, op, getAsOpFoldResult(element.getIndices()[place.list->dim]), 1);
  place.kind =
      begin(element.getResult(), place.kind == Place::Own ? Place::Own : Place::Unclear).kind;
  place.isEven = place.kind == Place::Replicate;
  place.cuts.clear();
  setPlace(element.getResult(), std::move(place));
  return true;
}
