// Reductions, broadcasts and gathers as changes of scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/ranks/RankLayouts.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// What is left of a value that is no sum over ranks.
static RankScale unknown(RankScale scale, bool isShared) {
  RankScale result;
  result.origin = scale.origin;
  result.isShared = isShared;
  result.isCertain = scale.isTrivial();
  return result;
}

RankScale RankLayouts::reduce(Operation *op, Value input, Reduction kind, GroupOpInterface group) {
  RankScale scale = getScale(input);
  bool isSum = kind == Reduction::Sum;
  if (!isSum && kind != Reduction::Mean) {
    RankScale result = unknown(scale, group.isOfWholeWorld());
    if (!scale.isNumber)
      result.setFault(ScaleFault::NotSummed, op);
    return result;
  }
  if (isSum)
    scale.factor = scale.factor * ScaleFactor::ofSize(group);
  if (scale.isNumber)
    return scale;
  if (scale.gathered || (isPart(input) && !getPlace(input).getScattered()))
    scale.isCertain = false;
  if (scale.update)
    scale.setFault(ScaleFault::ReducedUpdate, op, scale.update);
  // What all ranks have computed alike may be reduced; it is only a waste.
  if (scale.isShared && scale.groups.empty()) {
    scale.last = addEvent(ScaleEvent::Kind::Reduced, op, scale.last);
    return scale;
  }
  if (scale.fault == ScaleFault::PartlyReduced) { // all of it now
    scale.fault = ScaleFault::None;
    scale.last = nullptr;
  }
  Operation *before = scale.groups.empty() ? nullptr : findReduction(scale.last);
  scale.groups.push_back(group);
  Coverage coverage = getCoverage(scale.groups);
  if (before && (coverage == Coverage::Twice || llvm::count(scale.groups, group) > 1))
    scale.setFault(ScaleFault::ReducedTwice, op, before);
  scale.isShared = coverage == Coverage::Whole || coverage == Coverage::Twice;
  if (coverage == Coverage::Unknown)
    scale.isCertain = false;
  scale.last = addEvent(ScaleEvent::Kind::Reduced, op, scale.last);
  return scale;
}

RankScale RankLayouts::gather(Value input, GroupOpInterface group) {
  RankScale scale = getScale(input);
  GroupOpInterface scattered = getPlace(input).getScattered();
  bool joinsParts = scattered ? scattered == group : isPart(input);
  if (!scale.isNumber && !joinsParts)
    scale.gathered = group;
  return scale;
}

RankScale RankLayouts::broadcast(Operation *op, Value input) {
  RankScale scale = getScale(input);
  if (scale.fault == ScaleFault::KeptAtRoot) { // the sum goes where it lacked
    scale.fault = ScaleFault::None;
    scale.isShared = getCoverage(scale.groups) == Coverage::Whole;
    return scale;
  }
  if (scale.isNumber || (scale.isShared && !isPart(input)))
    return scale;
  RankScale result = unknown(scale, /*isShared=*/true);
  result.setFault(ScaleFault::OneRankOnly, op);
  return result;
}

bool RankLayouts::scaleCollective(Operation *op) {
  std::optional<Collective> collective = findCollective(op);
  if (!collective)
    return false;
  BucketOpInterface bucket = collective->bucket;
  GroupOpInterface group = collective->group;
  auto apply = [&](llvm::function_ref<RankScale(Value)> change) {
    for (auto [input, output] : llvm::zip_equal(bucket.getInputs(), bucket.getOutputs())) {
      RankScale scale = change(input);
      scale.wasShared = true;
      setScale(output, scale);
    }
    return true;
  };
  switch (collective->form.kind) {
  case CommunicationKind::AllReduce:
  case CommunicationKind::ReduceScatter:
    return apply(
        [&](Value input) { return reduce(op, input, *collective->form.reduction, group); });
  case CommunicationKind::Reduce:
    return apply([&](Value input) {
      RankScale reduced = reduce(op, input, *collective->form.reduction, group);
      reduced.isShared = false;
      reduced.setFault(ScaleFault::KeptAtRoot, op);
      return reduced;
    });
  case CommunicationKind::AllGather:
    return apply([&](Value input) { return gather(input, group); });
  case CommunicationKind::Broadcast:
    return apply([&](Value input) { return broadcast(op, input); });
  default:
    return false;
  }
}
