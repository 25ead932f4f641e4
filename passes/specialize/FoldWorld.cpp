// The greedy driver, confined to the operations that distribution adds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/specialize/Specialization.h"

#include "dialects/collective/Collective.h"
#include "dialects/collective/Wire.h"
#include "dialects/interfaces/BatchStatistics.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tutti;

namespace {
struct CountErased : RewriterBase::Listener {
  void notifyOperationErased(Operation *) override { ++count; }
  unsigned count = 0;
};

/// A value that was narrowed for the wire but was not communicated is the original value.
struct DropWireCasts : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp widen, PatternRewriter &rewriter) const override {
    auto narrow = widen.getIn().getDefiningOp<arith::TruncFOp>();
    if (!widen->hasAttr(collective::kWire) || !narrow || !narrow->hasAttr(collective::kWire) ||
        narrow.getIn().getType() != widen.getType())
      return failure();
    rewriter.replaceOp(widen, narrow.getIn());
    return success();
  }
};

/// In a set of one rank a collective gives what it takes. Dialects that fold theirs have done so.
struct DropCommunication : OpInterfaceRewritePattern<collective::BucketOpInterface> {
  explicit DropCommunication(MLIRContext *context)
      : OpInterfaceRewritePattern(context, /*benefit=*/0) {}

  LogicalResult matchAndRewrite(collective::BucketOpInterface op,
                                PatternRewriter &rewriter) const override {
    GroupOpInterface group = findGroup(op, op.getGroupAttr());
    if (!movesData(op) || !op.getDestinations().empty() || !group || !group.holdsEveryRank() ||
        group.getSizeOfSets() != 1 ||
        TypeRange(op.getInputs()) != TypeRange(ValueRange(op.getOutputs())))
      return failure();
    rewriter.replaceOp(op, op.getInputs());
    return success();
  }
};

/// In a set of one rank the rank is 0; a size that is known is a number.
struct AnswerQuestion : OpInterfaceRewritePattern<RankQueryOpInterface> {
  explicit AnswerQuestion(MLIRContext *context)
      : OpInterfaceRewritePattern(context, /*benefit=*/0) {}

  LogicalResult matchAndRewrite(RankQueryOpInterface op, PatternRewriter &rewriter) const override {
    RankQuestion question = op.getQuestion();
    GroupOpInterface group = findGroup(op, question.group);
    std::optional<int64_t> size =
        group && group.holdsEveryRank() ? group.getSizeOfSets() : std::nullopt;
    bool isRank = question.kind == RankQuestion::Rank && size == 1;
    if (!isRank && (question.kind != RankQuestion::Size || !size))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, isRank ? 0 : *size);
    return success();
  }
};

/// The operations that the rewrite may change.
struct Scope {
  explicit Scope(ModuleOp module);

  /// Collectives, conversions for the wire, queries, weights and what is computed from them up to
  /// the scaled value, and the operations that took synchronised statistics or merged rows.
  llvm::SetVector<Operation *> foldable;
  /// The producers of inputs of collectives, in program order: local statistics, for example, that
  /// nothing else uses.
  SmallVector<Operation *> inputs;
};
} // namespace

/// Whether `op` asks for a rank or a size of a group.
static bool asksForMembers(Operation *op) {
  auto query = dyn_cast<RankQueryOpInterface>(op);
  RankQuestion::Kind kind = query ? query.getQuestion().kind : RankQuestion::Translate;
  return kind == RankQuestion::Rank || kind == RankQuestion::Size;
}

/// Whether folding of a constant stops here: at the values that it scales or divides.
static bool isScaled(Operation *op) { return isa<train::ScaleOp, train::MergeRowsOp>(op); }

/// The operations computed from `origin`, which is about to be a constant, up to what they scale.
static void addComputedFrom(Operation *origin, llvm::SetVector<Operation *> &ops) {
  SmallVector<Operation *> worklist = {origin};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val()->getUsers())
      if (isMemoryEffectFree(user) && ops.insert(user) && !isScaled(user))
        worklist.push_back(user);
}

/// Whether the operation takes statistics from outside, which may turn out to be its own.
static bool isSynchronized(Operation *op) {
  auto statistics = dyn_cast<BatchStatisticsOpInterface>(op);
  return statistics && statistics.isSynchronized();
}

/// Whether the operation takes rows that were merged for the sake of communication.
static bool isScatterOfMerged(Operation *op) {
  auto scatter = dyn_cast<train::ScatterRowsOp>(op);
  return scatter && scatter.getRows().getDefiningOp<train::MergeRowsOp>();
}

Scope::Scope(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (isa<collective::CollectiveOpInterface>(op) || op->hasAttr(collective::kWire) ||
        isSynchronized(op) || isScatterOfMerged(op))
      foldable.insert(op);
    if (asksForMembers(op) || isa<train::BatchWeightOp>(op)) {
      foldable.insert(op);
      addComputedFrom(op, foldable);
    }
  });
  // In pre-order, so that in reverse order nested operations are erased before their parents.
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto mayGo = [&](Operation *user) { return foldable.contains(user); };
    if (!foldable.contains(op) && llvm::any_of(op->getUsers(), mayGo))
      inputs.push_back(op);
  });
}

/// The canonical forms of collectives, and of operations whose statistics are local again.
static RewritePatternSet collectPatterns(MLIRContext *context, const Scope &scope) {
  RewritePatternSet patterns(context);
  context->getLoadedDialect<collective::CollectiveDialect>()->getCanonicalizationPatterns(patterns);
  patterns.add<DropWireCasts, DropCommunication, AnswerQuestion>(context);
  train::ScatterRowsOp::getCanonicalizationPatterns(patterns, context);
  llvm::SmallSetVector<OperationName, 4> names;
  for (Operation *op : scope.foldable)
    if (isa<BatchStatisticsOpInterface>(op) && names.insert(op->getName()))
      op->getName().getRegisteredInfo()->getCanonicalizationPatterns(patterns, context);
  return patterns;
}

unsigned tutti::specialize::foldWorld(ModuleOp module) {
  Scope scope(module);
  CountErased erased;
  auto config = GreedyRewriteConfig()
                    .setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
                    .enableConstantCSE(false)
                    .setListener(&erased);
  RewritePatternSet patterns = collectPatterns(module.getContext(), scope);
  (void)applyOpPatternsGreedily(scope.foldable.getArrayRef(), std::move(patterns), config);
  for (Operation *op : llvm::reverse(scope.inputs)) {
    if (!isOpTriviallyDead(op))
      continue;
    op->erase();
    ++erased.count;
  }
  return erased.count;
}
