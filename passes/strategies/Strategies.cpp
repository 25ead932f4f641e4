// Lists the strategies: the build finds one in each file of this folder that defines one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/strategies/Strategy.h"

#include "llvm/ADT/STLExtras.h"

namespace tutti::strategies {
#define TUTTI_STRATEGY(name) extern const Strategy &name;
#include "passes/strategies/Found.inc"
#undef TUTTI_STRATEGY
} // namespace tutti::strategies

using namespace tutti::strategies;

llvm::ArrayRef<const Strategy *> tutti::strategies::allStrategies() {
  static const std::vector<const Strategy *> all = [] {
    std::vector<const Strategy *> found = {
#define TUTTI_STRATEGY(name) &name,
#include "passes/strategies/Found.inc"
#undef TUTTI_STRATEGY
    };
    llvm::stable_sort(found, [](const Strategy *a, const Strategy *b) {
      return a->getChapter() < b->getChapter();
    });
    return found;
  }();
  return all;
}
