// Sums that are completed, samples that are joined and cut again, and shares that are divided out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/distribution/samples/LayoutChanges.h"

#include "dialects/train/Train.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

bool tutti::distribution::movesSamples(Operation *op) {
  return isa<train::BatchGatherOp, train::BatchPieceOp, train::BatchScatterOp>(op);
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

/// Why samples along a dimension of `value` cannot be joined or cut.
static Refusal whyNotMoved(Value value, const Layout &shard) {
  auto type = cast<RankedTensorType>(value.getType());
  std::string dimension = "dimension " + std::to_string(shard.dimension);
  if (!type.isDynamicDim(shard.dimension))
    return dimension + " holds a fixed number of samples, " +
           std::to_string(type.getDimSize(shard.dimension)) +
           "; export the model with a symbolic batch";
  if (shard.outer != 1)
    return "the samples are not the outermost in its " + dimension +
           "; transpose it so that they are, before dimensions are joined";
  return {};
}

Refusal tutti::distribution::whyNotIn(Value value, const Layout &from, const Layout &to) {
  if (from == to || from.isOwn())
    return {};
  if (!isa<RankedTensorType>(value.getType()))
    return "it is no tensor";
  if (movesSamples(from, to))
    for (const Layout &layout : {from, to})
      if (layout.isShard())
        if (Refusal refusal = whyNotMoved(value, layout))
          return refusal;
  bool isCount =
      getElementTypeOrSelf(value).isInteger(32) || getElementTypeOrSelf(value).isInteger(64);
  bool divides = from.scale != to.scale || (from.isReplicate() && to.isPartial());
  bool reduces = from.isPartial() && !to.isPartial();
  if ((divides && !isFloat(value)) || (reduces && !isFloat(value) && !isCount))
    return "ranks cannot reduce or divide values of its type; convert it to a float before";
  return {};
}

Value LayoutChanges::get(Value value, const Layout &from, const Layout &to) {
  for (const Known &made : known[value])
    if (made.layout == to)
      return made.value;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value made = build(builder, value, from, to);
  known[value].push_back({to, made});
  return made;
}

static Value rescale(OpBuilder &builder, Value value, Scale from, Scale to) {
  for (; from.share < to.share; ++from.share)
    value = train::BatchSumOp::create(builder, value.getLoc(), value);
  for (; from.share > to.share; --from.share)
    value = train::BatchShareOp::create(builder, value.getLoc(), value);
  return value;
}

Value LayoutChanges::build(OpBuilder &builder, Value value, Layout from, const Layout &to) {
  Location loc = value.getLoc();
  if (from.withScale(0) == to.withScale(0))
    return rescale(builder, value, from.scale, to.scale);
  if (from.isReplicate() && to.isPartial()) // all shares add up to 1
    return rescale(builder, value, from.scale, to.scale + -1);
  // Ranks that exchange samples have equal parts, whose shares cancel.
  if (from.isPartial() && to.isShard() && from.scale == to.scale)
    return train::BatchScatterOp::create(builder, loc, value, to.dimension);
  value = rescale(builder, value, from.scale, 0);
  if (from.isPartial() && to.isShard()) {
    value = train::BatchScatterOp::create(builder, loc, value, to.dimension);
  } else {
    if (from.isPartial())
      value = train::BatchTotalOp::create(builder, loc, value, spellReduction(from.reduction));
    if (from.isShard())
      value = train::BatchGatherOp::create(builder, loc, value, from.dimension);
    if (to.isShard())
      value = train::BatchPieceOp::create(builder, loc, value, to.dimension);
  }
  return rescale(builder, value, 0, to.scale);
}
