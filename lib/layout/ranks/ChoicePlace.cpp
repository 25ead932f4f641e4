// Values that ranks choose, or weigh, by their number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace tutti;

Place RankLayouts::join(const Place &one, const Place &other, Value result) const {
  Place joined = one;
  bool areEqual = one.kind == other.kind && llvm::equal(one.cuts, other.cuts);
  bool isEither = one.kind == Place::Shard && other.kind == Place::Replicate && other.isEven;
  if (one.kind == Place::Replicate && one.isEven && other.kind == Place::Shard) {
    joined.kind = Place::Shard;
    joined.cuts = other.cuts;
  } else if (!areEqual && !isEither) {
    bool isOwn = (one.kind == Place::Own || one.kind == Place::Replicate) &&
                 (other.kind == Place::Own || other.kind == Place::Replicate);
    joined.kind = isOwn ? Place::Own : Place::Unclear;
    joined.cuts.clear();
  }
  if (uniformity.isUniform(result))
    joined.kind = Place::Replicate;
  else if (joined.kind == Place::Replicate)
    joined.kind = Place::Own;
  if (joined.kind != Place::Shard)
    joined.cuts.clear();
  joined.isEven = one.isEven && other.isEven && joined.kind == Place::Replicate;
  joined.isOfBatch = one.isOfBatch || other.isOfBatch;
  joined.list = one.list ? one.list : other.list;
  joined.hiddenBy = one.hiddenBy ? one.hiddenBy : other.hiddenBy;
  joined.addSources(other.sources);
  if (other.fault != PlaceFault::None)
    joined.setFault(other.fault, other.faultOp);
  return joined;
}

static bool isZeroNumber(Attribute number) {
  if (auto splat = dyn_cast<SplatElementsAttr>(number))
    number = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(number))
    return integer.getValue().isZero();
  auto real = dyn_cast<FloatAttr>(number);
  return real && real.getValue().isZero();
}

/// Of what is each rank's own, that of `ranks` alone is left.
static void keepOnly(Source &source, ArrayRef<int64_t> ranks, Operation *op) {
  source.isOwn = false;
  source.some.assign(ranks.begin(), ranks.end());
  source.chooser = op;
}

static bool isOwnIn(const Place &place, StringAttr input) {
  return llvm::any_of(place.sources,
                      [&](const Source &source) { return source.input == input && source.isOwn; });
}

/// One of two values on each rank. Where ranks choose by their number, samples that only one of the
/// two is made of are those of the ranks that take it.
Place RankLayouts::choose(Operation *op, Value condition, const Place &yes, const Place &no,
                          Value result) {
  Place chosen = join(yes, no, result);
  if (uniformity.isUniform(condition))
    return chosen;
  chosen.kind = chosen.kind == Place::Shard ? Place::Unclear : chosen.kind;
  ArrayRef<Attribute> choices = numbers.get(condition);
  if (choices.empty() || llvm::all_equal(choices))
    return chosen;
  SmallVector<int64_t> takers[2];
  for (auto [rank, choice] : llvm::enumerate(choices))
    takers[isZeroNumber(choice)].push_back(rank);
  for (Source &source : chosen.sources) {
    bool isInYes = isOwnIn(yes, source.input), isInNo = isOwnIn(no, source.input);
    if (source.isOwn && isInYes != isInNo)
      keepOnly(source, takers[isInNo], op);
  }
  return chosen;
}

/// What a rank multiplies by zero is lost.
void RankLayouts::weigh(Place &place, Operation *op, Value factor) {
  bool isOwn = llvm::any_of(place.sources, [](const Source &source) { return source.isOwn; });
  if (!isOwn || uniformity.isUniform(factor))
    return;
  SmallVector<int64_t> ranks;
  ArrayRef<Attribute> weights = numbers.get(factor);
  for (auto [rank, weight] : llvm::enumerate(weights))
    if (!isZeroNumber(weight))
      ranks.push_back(rank);
  if (weights.empty() || ranks.size() == weights.size())
    return;
  for (Source &source : place.sources)
    if (source.isOwn)
      keepOnly(source, ranks, op);
}
