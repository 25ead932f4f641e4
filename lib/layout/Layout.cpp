// The words for layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/Layout.h"

using namespace mlir;
using namespace tutti;

/// The product of sizes; 0 where one is not known.
static int64_t productOf(ArrayRef<int64_t> sizes) {
  return ShapedType::isDynamicShape(sizes) ? 0 : ShapedType::getNumElements(sizes);
}

std::optional<Layout> tutti::reshapeShard(const Layout &shard, ArrayRef<int64_t> from,
                                          ArrayRef<int64_t> to, int64_t length) {
  int64_t stride = shard.inner * productOf(from.drop_front(shard.dimension + 1));
  int64_t outer = shard.outer * productOf(from.take_front(shard.dimension));
  std::optional<Layout> best;
  for (int64_t i = 0, rank = to.size(); i < rank && stride > 0 && outer > 0; ++i) {
    int64_t after = productOf(to.drop_front(i + 1)), ahead = productOf(to.take_front(i));
    if (after == 0 || ahead == 0 || stride % after != 0 || outer % ahead != 0)
      continue;
    Layout here = Layout::shard(i, shard.scale, outer / ahead, stride / after);
    bool isOpen = ShapedType::isDynamic(length);
    if (to[i] != (isOpen ? length : here.outer * length * here.inner))
      continue;
    if (to[i] == length)
      return here;
    if (!best || here.outer == 1)
      best = here;
  }
  return best;
}

std::string tutti::spellLayout(const Layout &layout) {
  std::string text;
  switch (layout.kind) {
  case Layout::Kind::Replicate:
    text = "Replicate";
    break;
  case Layout::Kind::Shard:
    text = "Shard(" + std::to_string(layout.dimension) + ")";
    break;
  case Layout::Kind::Partial:
    text = "Partial(" + spellReduction(layout.reduction).str() + ")";
    break;
  case Layout::Kind::Own:
    return "Own";
  }
  if (layout.scale.share != 0)
    text += " x share^" + std::to_string(-layout.scale.share);
  if (layout.scale.turns != 0)
    text += " x turns^" + std::to_string(layout.scale.turns);
  return text;
}

bool tutti::isRounded(const llvm::APFloat &number, double value) {
  bool isExact;
  llvm::APFloat rounded(value);
  rounded.convert(number.getSemantics(), llvm::APFloat::rmNearestTiesToEven, &isExact);
  return rounded == number;
}

llvm::StringRef tutti::spellRole(const Layout &layout) {
  if (layout.isOwn())
    return "mixed";
  if (layout.isShard())
    return "split";
  if (layout.isReplicate())
    return "whole";
  if (layout.reduction == Reduction::Max)
    return "max";
  if (layout.reduction == Reduction::Min)
    return "min";
  return layout.scale == 0 ? "sum" : layout.scale == 1 ? "mean" : "mixed";
}
