// Comparing cuts, and joining what values are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/Place.h"

using namespace mlir;
using namespace tutti;

/// Beyond this many ranks members are not compared one by one.
static constexpr int64_t kMostRanksCompared = 4096;
/// How many inputs are told apart.
static constexpr size_t kMostSources = 8;

static bool haveEqualMembers(GroupOpInterface one, GroupOpInterface other) {
  std::optional<int64_t> world = findWorldSizeAt(one);
  if (!world || *world > kMostRanksCompared)
    return false;
  llvm::SmallVector<bool> seen(*world, false);
  for (int64_t rank = 0; rank < *world; ++rank) {
    if (seen[rank])
      continue;
    auto first = one.getMembersWith(rank, *world), second = other.getMembersWith(rank, *world);
    if (!first || !second || *first != *second)
      return false;
    for (int64_t member : *first)
      seen[member] = true;
  }
  return true;
}

bool tutti::divideAlike(GroupOpInterface one, GroupOpInterface other) {
  if (one == other || (one.isOfWholeWorld() && other.isOfWholeWorld()))
    return true;
  if (one.isOfWholeWorld() || other.isOfWholeWorld())
    return false;
  if (one.getDivision() && one.getDivision() == other.getDivision())
    return true;
  return haveEqualMembers(one, other);
}

bool Cut::operator==(const Cut &other) const {
  if (dim != other.dim || isOfRank() != other.isOfRank())
    return false;
  return isOfRank() ? divideAlike(group, other.group) : offsets == other.offsets;
}

const Cut *Place::findOddCut() const {
  const auto *found = llvm::find_if(cuts, [](const Cut &cut) { return !cut.isOfRank(); });
  return kind == Shard && found != cuts.end() ? found : nullptr;
}

GroupOpInterface Place::getScattered() const {
  bool isScattered = kind == Shard && cuts.back().by && getForm(cuts.back().by);
  return isScattered ? cuts.back().group : GroupOpInterface();
}

void Place::setFault(PlaceFault kind, Operation *op) {
  if (fault != PlaceFault::None)
    return;
  fault = kind;
  faultOp = op;
}

static void join(Source &source, const Source &other) {
  source.isOwn |= other.isOwn;
  source.isAll |= other.isAll;
  source.some.append(other.some);
  llvm::sort(source.some);
  source.some.erase(llvm::unique(source.some), source.some.end());
  source.chooser = source.chooser ? source.chooser : other.chooser;
  source.exchanger = source.exchanger ? source.exchanger : other.exchanger;
}

void Place::addSources(ArrayRef<Source> others) {
  for (const Source &other : others) {
    auto *known =
        llvm::find_if(sources, [&](const Source &own) { return own.input == other.input; });
    if (known != sources.end())
      join(*known, other);
    else if (sources.size() < kMostSources)
      sources.push_back(other);
    else
      join(sources.back(), other);
  }
}
