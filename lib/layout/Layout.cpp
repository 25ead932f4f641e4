// The words for layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/layout/Layout.h"

using namespace tutti;

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
