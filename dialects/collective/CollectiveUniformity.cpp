// Which results are equal on every rank of the world. On the world, what a collective gives to all
// ranks is. On sets of ranks, it is only where all sets compute the same of equal operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// Whether all ranks of the world make up one set of the group.
static bool isWorld(Operation *op, FlatSymbolRefAttr group) {
  GroupOp found = lookupGroup(op, group);
  return found && found.isWholeWorld();
}

/// Whether every rank is in a set, and all sets are equally large: then all of them compute the
/// same of operands that are equal on every rank.
static bool areSetsAlike(Operation *op, FlatSymbolRefAttr group) {
  GroupOp found = lookupGroup(op, group);
  return found && found.hasEveryRank() && found.hasEqualSets();
}

/// min and max of equal values are that value, however many there are.
static bool isIdempotent(ReductionKind reduction) {
  return reduction == ReductionKind::min || reduction == ReductionKind::max;
}

static Uniformity asOperandsIf(bool condition) {
  return condition ? Uniformity::AsOperands : Uniformity::Varying;
}

Uniformity AllReduceOp::getResultUniformity(unsigned) {
  if (isWorld(*this, getGroupAttr()))
    return Uniformity::Uniform;
  return asOperandsIf(isIdempotent(getReduction()) || areSetsAlike(*this, getGroupAttr()));
}

Uniformity AllGatherOp::getResultUniformity(unsigned) {
  if (isWorld(*this, getGroupAttr()))
    return Uniformity::Uniform;
  return asOperandsIf(areSetsAlike(*this, getGroupAttr()));
}

Uniformity BroadcastOp::getResultUniformity(unsigned) {
  return isWorld(*this, getGroupAttr()) ? Uniformity::Uniform : Uniformity::AsOperands;
}

/// The root has the reduction, the others their inputs.
Uniformity ReduceOp::getResultUniformity(unsigned) {
  return asOperandsIf(isIdempotent(getReduction()));
}

Uniformity ReduceScatterOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity GatherOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity ScatterOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity AllToAllOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity AllToAllVOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity AllToAllVCOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity RecvOp::getResultUniformity(unsigned) { return Uniformity::Varying; }

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Uniformity RankOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity LocalRankOp::getResultUniformity(unsigned) { return Uniformity::Varying; }
Uniformity LocalSizeOp::getResultUniformity(unsigned) { return Uniformity::Varying; }

Uniformity SizeOp::getResultUniformity(unsigned) {
  return areSetsAlike(*this, getGroupAttr()) ? Uniformity::Uniform : Uniformity::Varying;
}

/// Between sets the answer depends on which of them this rank is in.
Uniformity TranslateRankOp::getResultUniformity(unsigned) {
  return asOperandsIf(isWorld(*this, getFromAttr()) && isWorld(*this, getToAttr()));
}
