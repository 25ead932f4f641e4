// What collectives do to the place of a value: they cut it, undo the last cut, or list what all
// have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

using namespace mlir;
using namespace tutti;

/// Whether ranks of one set of `group` hold parts at different places by `cut`, for sure.
static bool holdsOtherParts(GroupOpInterface group, ArrayRef<int64_t> inGroup, const Cut &cut,
                            ArrayRef<int64_t> inCut) {
  if (!cut.isOfRank())
    return true;
  if (divideAlike(group, cut.group))
    return true;
  if (inGroup.empty() || inCut.empty())
    return group.isOfWholeWorld();
  std::optional<int64_t> world = findWorldSizeAt(group);
  for (int64_t rank = 0; world && rank < *world; ++rank) {
    if (inGroup[rank] <= 0)
      continue;
    auto set = group.getMembersWith(rank, *world);
    if (set && !set->empty() && inCut[set->front()] != inCut[rank])
      return true;
  }
  return false;
}

Place RankLayouts::reduce(Place place, Operation *op, Value output, GroupOpInterface group) {
  if (place.kind == Place::Shard && !place.isOfBatch)
    for (const Cut &cut : place.cuts)
      if (holdsOtherParts(group, getNumbers(group), cut,
                          cut.group ? getNumbers(cut.group) : ArrayRef<int64_t>()))
        place.setFault(PlaceFault::AddedParts, op);
  place.isOfBatch = place.isOfBatch || place.list;
  place.list.reset();
  place.isEven = place.isEven && place.kind == Place::Replicate;
  bool isAtRoot = isKind(op, {CommunicationKind::Reduce}); // which has those of its whole set
  if (group.isOfWholeWorld() || isAtRoot)
    for (Source &source : place.sources)
      source.isAll |= std::exchange(source.isOwn, false);
  if (uniformity.isUniform(output)) {
    place.kind = Place::Replicate;
    place.cuts.clear();
  } else if (place.kind == Place::Replicate) {
    place.kind = Place::Own;
  }
  return place;
}

Place RankLayouts::scatter(Place place, Operation *op, Value output, GroupOpInterface group) {
  place.list.reset();
  place.kind = place.kind == Place::Unclear ? Place::Unclear : Place::Shard;
  place.cuts.push_back({getForm(op)->axis, group, {}, op});
  if (place.kind != Place::Shard)
    place.cuts.clear();
  place.isEven = false;
  return place;
}

/// Whether the elements of `value` lie alike whether they are joined along `first` or `last`.
static bool isOneBlock(Value value, int64_t first, int64_t last) {
  auto type = cast<ShapedType>(value.getType());
  return type.hasRank() &&
         llvm::all_of(type.getShape().slice(first, last - first), [](int64_t s) { return s == 1; });
}

Place RankLayouts::gather(Place place, Operation *op, Value output, GroupOpInterface group,
                          Value input) {
  int64_t axis = getForm(op)->axis;
  place.isEven = place.isEven && place.kind == Place::Replicate;
  if (place.kind == Place::Shard) {
    const Cut &last = place.cuts.back();
    bool joins = last.isOfRank() && last.dim == axis && divideAlike(last.group, group);
    bool liesAlike = last.isOfRank() && divideAlike(last.group, group) &&
                     isOneBlock(input, std::min(last.dim, axis), std::max(last.dim, axis));
    if (!joins && !liesAlike && !place.isOfBatch)
      place.setFault(PlaceFault::Scrambled, op);
    if (joins)
      place.cuts.pop_back();
    place.kind = !joins ? Place::Unclear : place.cuts.empty() ? Place::Replicate : Place::Shard;
  } else if (place.kind == Place::Replicate && !place.isEven) {
    place.setFault(PlaceFault::Copies, op);
  } else if (place.kind == Place::Own) {
    auto type = cast<ShapedType>(input.getType());
    int64_t length =
        type.hasRank() && axis < type.getRank() ? type.getDimSize(axis) : ShapedType::kDynamic;
    SmallVector<Source, 1> sources(place.sources.begin(), place.sources.end());
    place.list = Place::List{axis, length, group, op, std::move(sources)};
    place.isOfBatch = true;
  } else if (place.kind == Place::Unclear) {
    place.hiddenBy = op;
  }
  if (isKind(op, {CommunicationKind::Gather})) // the root has those of its whole set
    for (Source &source : place.sources)
      source.isAll |= std::exchange(source.isOwn, false);
  if (uniformity.isUniform(output))
    place.kind = Place::Replicate;
  else if (place.kind == Place::Replicate)
    place.kind = Place::Unclear;
  if (place.kind != Place::Shard)
    place.cuts.clear();
  return place;
}

/// Whether all members of each set of `group` read the part of `input` that its root reads, as
/// where ranks that share a model get the samples from one of them.
bool RankLayouts::isOfOneShard(StringAttr input, GroupOpInterface group, int64_t root) {
  GroupOpInterface shards = groupsOfInputs.lookup(input);
  if (!input || !shards || !worldSize)
    return false;
  ArrayRef<int64_t> numbers = getNumbers(shards);
  for (int64_t rank = 0; rank < *worldSize; ++rank) {
    auto set = group.getMembersWith(rank, *worldSize);
    if (!set || numbers.empty())
      return false;
    if (root < static_cast<int64_t>(set->size()) && numbers[(*set)[root]] != numbers[rank])
      return false;
  }
  return true;
}

/// What each rank had of its own is that of the root from here on.
void RankLayouts::takeRoots(Place &place, Operation *op, GroupOpInterface group) {
  if (place.kind == Place::Replicate)
    return;
  int64_t root = getForm(op)->root;
  for (Source &source : place.sources) {
    if (!source.isOwn || isOfOneShard(source.input, group, root))
      continue;
    source.isOwn = false;
    source.chooser = source.chooser ? source.chooser : op;
    SmallVector<int64_t, 1> roots = {root};
    if (ArrayRef<int64_t> numbers = getNumbers(group); !numbers.empty()) {
      roots.clear();
      for (auto [rank, number] : llvm::enumerate(numbers))
        if (number == root)
          roots.push_back(rank);
    }
    source.some = std::move(roots);
  }
}

std::optional<RankLayouts::Collective> RankLayouts::findCollective(Operation *op) {
  auto bucket = dyn_cast<BucketOpInterface>(op);
  if (!bucket || bucket.getOutputs().size() != bucket.getInputs().size())
    return std::nullopt;
  GroupOpInterface group = findGroup(op, bucket.getGroupAttr());
  std::optional<CommunicationForm> form = getForm(op);
  if (!group || !form)
    return std::nullopt;
  return Collective{bucket, group, *form};
}

bool RankLayouts::placeCollective(Operation *op) {
  std::optional<Collective> collective = findCollective(op);
  if (!collective)
    return false;
  auto [bucket, group, form] = *collective;
  using Kind = CommunicationKind;
  if (!isKind(op, {Kind::AllReduce, Kind::Reduce, Kind::ReduceScatter, Kind::AllGather,
                   Kind::Gather, Kind::Broadcast, Kind::Scatter}))
    return false;
  for (auto [input, output] : llvm::zip_equal(bucket.getInputs(), bucket.getOutputs())) {
    Place place = getPlace(input);
    if (form.kind == Kind::AllReduce || form.kind == Kind::Reduce) {
      place = reduce(std::move(place), op, output, group);
    } else if (form.kind == Kind::ReduceScatter) {
      place = reduce(std::move(place), op, output, group);
      if (place.kind == Place::Unclear && group.isOfWholeWorld())
        place.kind = Place::Own; // whatever ranks had: they are given parts of one value
      place = scatter(std::move(place), op, output, group);
    } else if (form.kind == Kind::AllGather || form.kind == Kind::Gather) {
      place = gather(std::move(place), op, output, group, input);
    } else {
      takeRoots(place, op, group);
      if (form.kind == Kind::Scatter)
        place = scatter(std::move(place), op, output, group);
      else
        place.kind = begin(output, place.kind).kind;
    }
    setPlace(output, std::move(place));
  }
  return true;
}
