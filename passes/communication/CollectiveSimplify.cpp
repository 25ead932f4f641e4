// collective-simplify: first what needs no communication, then what needs less.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "passes/communication/Passes.h"
#include "passes/communication/Simplifications.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVESIMPLIFYPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::communication;

namespace {
struct CollectiveSimplify : communication::impl::CollectiveSimplifyPassBase<CollectiveSimplify> {
  using CollectiveSimplifyPassBase::CollectiveSimplifyPassBase;

  void runOnOperation() override {
    Counts counts;
    // No rewrite touches control flow.
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    bool isChanged = merge(motion, counts);
    while (replaceUniformInputs(getOperation(), motion, getAnalysis<UniformityAnalysis>(),
                                reassociate, counts)) {
      isChanged = true;
      forgetUniformity();
      merge(motion, counts);
    }
    if (!isChanged)
      markAllAnalysesPreserved();
    uniformInputs += counts.uniform;
    scattered += counts.scattered;
    joined += counts.joined;
    split += counts.split;
    added += counts.added;
    unnested += counts.unnested;
    narrowed += counts.narrowed;
  }

private:
  /// Returns whether it changed anything.
  bool merge(const CollectiveMotion &motion, Counts &counts) {
    RewritePatternSet patterns(&getContext());
    addMergePatterns(patterns, motion, reassociate, splitAllReduce, counts);
    addNarrowPatterns(patterns, motion, counts);
    // Nothing but these rewrites: the rest of the program stays as it was written.
    auto config = GreedyRewriteConfig()
                      .enableFolding(false)
                      .enableConstantCSE(false)
                      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    bool isChanged = false;
    (void)applyPatternsGreedily(getOperation(), std::move(patterns), config, &isChanged);
    if (isChanged)
      forgetUniformity();
    return isChanged;
  }

  /// What is known of the values of a module says nothing of new ones.
  void forgetUniformity() { getAnalysisManager().invalidate(AnalysisManager::PreservedAnalyses()); }
};
} // namespace
