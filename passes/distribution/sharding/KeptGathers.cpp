// Chooses by gathers saved for bytes and time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/sharding/KeptGathers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

namespace {

/// What it is worth to keep a value.
struct Offer {
  GatheredValue *value;
  Operation *first = nullptr; ///< of the function's own operations, the first that uses it
  int64_t gathers = 0;        ///< without keeping it
  int64_t life = 0; ///< operations of the function between its regions, when it is only kept

  int64_t saved() const { return gathers - 1; }
  /// Saves more for a byte and an operation that it is kept for; of equal ones, in smaller
  /// messages.
  bool isBetterThan(const Offer &other) const {
    int64_t own = saved() * other.life, others = other.saved() * life;
    return own != others ? own > others : value->bytes < other.value->bytes;
  }
};

} // namespace

/// Turns of a loop over micro-batches whose number is not known yet: at least so many.
constexpr int64_t kFewestTurns = 2;

static int64_t turnsOf(Operation *op, func::FuncOp function) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || op->getParentOp() == function)
    return 1;
  std::optional<APInt> turns = loop.getStaticTripCount();
  return turns ? turns->getSExtValue() : kFewestTurns;
}

static Offer offerOf(GatheredValue &value, func::FuncOp function,
                     const llvm::DenseMap<Operation *, int64_t> &places) {
  Block &body = function.getBody().front();
  Offer offer{&value};
  int64_t firstPlace = std::numeric_limits<int64_t>::max(), lastPlace = 0;
  int64_t used = 0;
  for (const UseRegion &region : value.regions) {
    int64_t regionFirst = std::numeric_limits<int64_t>::max(), regionLast = 0;
    offer.gathers += turnsOf(region.first, function);
    for (OpOperand *use : region.uses) {
      Operation *user = body.findAncestorOpInBlock(*use->getOwner());
      int64_t place = places.lookup(user);
      regionLast = std::max(regionLast, place);
      regionFirst = std::min(regionFirst, place);
      if (place < firstPlace) {
        firstPlace = place;
        offer.first = user;
      }
    }
    lastPlace = std::max(lastPlace, regionLast);
    used += regionLast - regionFirst; // 0 of a loop, whose turns each gather anew
  }
  offer.life = std::max<int64_t>(1, lastPlace - firstPlace - used);
  return offer;
}

/// One region of all uses, before all of which `first` stands.
static void join(SmallVectorImpl<UseRegion> &regions, Operation *first) {
  UseRegion all;
  all.first = first;
  all.isForward = true;
  for (UseRegion &region : regions)
    llvm::append_range(all.uses, region.uses);
  regions.clear();
  regions.push_back(std::move(all));
}

KeptGathers tutti::distribution::keepGathered(func::FuncOp function,
                                              MutableArrayRef<GatheredValue> values,
                                              int64_t limit) {
  llvm::DenseMap<Operation *, int64_t> places;
  for (auto [place, op] : llvm::enumerate(function.getBody().front()))
    places[&op] = place;
  std::vector<Offer> offers;
  for (GatheredValue &value : values)
    if (Offer offer = offerOf(value, function, places); offer.saved() > 0)
      offers.push_back(offer);
  llvm::stable_sort(offers, [](const Offer &a, const Offer &b) { return a.isBetterThan(b); });
  KeptGathers kept;
  for (const Offer &offer : offers) {
    if (limit >= 0 && kept.bytes + offer.value->bytes > limit)
      continue;
    join(offer.value->regions, offer.first);
    ++kept.values;
    kept.bytes += offer.value->bytes;
    kept.gathers += offer.saved();
  }
  return kept;
}
