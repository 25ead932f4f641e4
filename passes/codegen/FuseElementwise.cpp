// The pass lower-fuse-elementwise: neighbouring elementwise loops become one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tutti::codegen {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "passes/codegen/Passes.h.inc"
} // namespace tutti::codegen

/// Only a producer with this one use, read once for each of its elements: fusing repeats no work.
static bool fusesWithoutRepeating(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  Operation *producer = operand->get().getDefiningOp();
  return consumer && producer && producer->hasOneUse() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// Fusion writes the index of a loop as a map of all its indices.
static void foldIndices(Operation *root) {
  root->walk([](affine::AffineApplyOp apply) {
    SmallVector<Value> folded;
    OpBuilder builder(apply);
    if (failed(builder.tryFold(apply, folded)))
      return;
    apply.replaceAllUsesWith(folded.front());
    apply.erase();
  });
}

namespace {
struct FuseElementwisePass : tutti::codegen::impl::FuseElementwisePassBase<FuseElementwisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, fusesWithoutRepeating);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    // Without folding: a loop that carries N values would be folded again at each change of one.
    auto config = GreedyRewriteConfig()
                      .enableFolding(false)
                      .enableConstantCSE(false)
                      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    foldIndices(getOperation());
  }
};
} // namespace
