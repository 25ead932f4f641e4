// The operations that changed the scale of a value, one after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/analysis/scale/GradientScale.h"

using namespace mlir;
using namespace tutti;
using Kind = ScaleEvent::Kind;

llvm::StringRef tutti::spellScaleEvent(Kind kind) {
  switch (kind) {
  case Kind::Reduced:
    return "reduces it over ranks";
  case Kind::BySize:
    return "multiplies or divides it by a number of ranks";
  case Kind::ByNumber:
    return "multiplies or divides it by a number";
  case Kind::ByShare:
    return "multiplies it by this rank's share of the batch";
  case Kind::Accumulated:
    return "adds it up over its turns";
  }
  llvm_unreachable("all kinds are covered");
}

Operation *tutti::findLast(const ScaleEvent *event, ArrayRef<Kind> kinds) {
  for (; event; event = event->before)
    if (llvm::is_contained(kinds, event->kind))
      return event->op;
  return nullptr;
}

Operation *tutti::findReduction(const ScaleEvent *event) { return findLast(event, Kind::Reduced); }
