// Flat: the sum of the bytes in one call. In levels: a scatter, a reduction of parts, a gather.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/ExchangeTimes.h"

#include "passes/communication/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::planning;
using cost::CommunicationTime;

ExchangeTimes::ExchangeTimes(ModuleOp program, const cost::Cluster &cluster, int64_t ranks,
                             const StepWork &work, const CollectiveMotion &motion,
                             const std::optional<communication::Topology> &levels)
    : cluster(cluster), ranksOnNode(std::min(ranks, cluster.ranksPerNode)), work(work),
      motion(motion), levels(levels), times(program, cluster, ranks) {
  if (!levels)
    return;
  SmallVector<int64_t> near, far;
  for (int64_t i = 0; i < levels->ranksPerNode; ++i)
    near.push_back(i * levels->parts);
  for (int64_t i = 0; i < levels->nodes; ++i)
    far.push_back(i * levels->ranksPerNode * levels->parts);
  node = cost::shapeOfSet(near, cluster, ranks);
  across = cost::shapeOfSet(far, cluster, ranks);
}

bool ExchangeTimes::isSplit(ArrayRef<BucketOpInterface> members, TypeRange inputs) const {
  static const int64_t minBytes = communication::CollectiveHierarchyPassOptions().minBytes;
  BucketOpInterface first = members.front();
  bool mayMove = llvm::all_of(members, [&](BucketOpInterface op) { return !motion.whyStays(op); });
  return levels && mayMove && communication::isReductionOfBatch(first) && !isStartedApart(first) &&
         !communication::whyFlat(inputs, *getForm(first)->reduction, *levels, minBytes);
}

Exchange ExchangeTimes::inLevels(TypeRange inputs, Reduction reduction) const {
  Exchange exchange;
  exchange.isSplit = true;
  llvm::MapVector<Type, int64_t> bytes; // one call for each element type
  cost::Work rows, division;
  bool hasRows = false;
  for (Type input : inputs) {
    auto type = cast<RankedTensorType>(input);
    int64_t elements = type.getNumElements(), width = program::bytesOfType(type.getElementType());
    std::optional<int64_t> row = communication::rowOfNode(type, levels->ranksPerNode);
    hasRows |= row.has_value();
    if (row && *row != elements) // zeros are put after it
      rows.bytes += 2 * double(*row * width);
    division.loop += reduction == Reduction::Mean ? double(elements) : 0;
    bytes[type.getElementType()] += row.value_or(elements) * width;
  }
  for (auto [element, whole] : bytes) {
    int64_t part = whole / levels->ranksPerNode;
    exchange.time += cost::timeOf("reduce_scatter", whole, node, cluster);
    exchange.time += cost::timeOf("all_reduce", part, across, cluster);
    exchange.time += cost::timeOf("all_gather", part, node, cluster);
  }
  if (hasRows)
    exchange.rows = cost::secondsOf(rows, cluster, ranksOnNode);
  if (hasRows || reduction == Reduction::Mean)
    exchange.finish = cost::secondsOf(division, cluster, ranksOnNode);
  return exchange;
}

Exchange ExchangeTimes::of(ArrayRef<BucketOpInterface> members) {
  SmallVector<Type> inputs;
  for (BucketOpInterface member : members)
    llvm::append_range(inputs, member.getInputs().getTypes());
  BucketOpInterface first = members.front();
  if (isSplit(members, inputs))
    return inLevels(inputs, *getForm(first)->reduction);
  Exchange exchange;
  if (members.size() == 1) {
    exchange.time = work.callsOf(first).time;
  } else {
    int64_t bytes = communication::countBytes(inputs).value_or(0);
    exchange.time = times.of(spellKind(first), bytes, first.getGroupAttr().getValue());
  }
  return exchange;
}
