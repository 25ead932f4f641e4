// collective-overlap: communication starts when its data is there, and is awaited where it is used.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/CollectiveMotion.h"
#include "lib/analysis/Remarks.h"
#include "passes/communication/OverlapSchedule.h"
#include "passes/communication/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVEOVERLAPPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;
using namespace tutti::communication;

namespace {

/// A block on its way to its new order.
class Overlap {
public:
  Overlap(Block &block, SmallVector<Chain> found)
      : block(block), graph(makeScheduleGraph(block)), chains(std::move(found)),
        moments(schedule(graph, chains)), work(countWorkBeside(graph, moments, chains.size())) {
    for (Operation &op : block)
      ops.push_back(&op);
  }

  /// How many operations stand between start and await of the chain.
  unsigned workBeside(unsigned chain) const { return work[chain]; }
  unsigned countChains() const { return chains.size(); }
  SmallVector<Operation *> linksOf(unsigned chain) const {
    return llvm::map_to_vector(chains[chain], [&](unsigned link) { return ops[link]; });
  }

  /// Puts all operations where they belong.
  void rewrite() {
    SmallVector<SmallVector<Operation *>> starts, awaits;
    for (unsigned number = 0; number < chains.size(); ++number) {
      starts.push_back(linksOf(number));
      awaits.emplace_back();
      if (work[number] == 0)
        continue;
      auto [start, done] = wrap(starts.back());
      starts[number] = {start};
      awaits[number] = {done};
    }
    Operation *end = block.getTerminator();
    for (const Moment &moment : moments) {
      if (moment.kind == Moment::Operation)
        ops[moment.node]->moveBefore(end);
      else
        for (Operation *op : (moment.kind == Moment::Start ? starts : awaits)[moment.chain])
          op->moveBefore(end);
    }
  }

private:
  /// What starts the chain, and what awaits it, somewhere in the block.
  static CommunicationDialectInterface::Pair wrap(ArrayRef<Operation *> links) {
    OpBuilder builder(links.front());
    return getFactory(links.front())->createPair(builder, links.front()->getLoc(), links);
  }

  Block &block;
  ScheduleGraph graph;
  SmallVector<Chain> chains;
  SmallVector<Moment> moments;
  SmallVector<unsigned> work;
  std::vector<Operation *> ops;
};

struct CollectiveOverlap : communication::impl::CollectiveOverlapPassBase<CollectiveOverlap> {
  using CollectiveOverlapPassBase::CollectiveOverlapPassBase;

  void runOnOperation() override {
    if (failed(checkKinds()))
      return signalPassFailure();
    CollectiveMotion motion(getOperation(), getAnalysis<UniformityAnalysis>());
    hasOverlap = hasCollectives = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        overlap(function, motion);
    if (!hasCollectives)
      markAllAnalysesPreserved();
    if (hasCollectives && !hasOverlap)
      mlir::emitWarning(getOperation().getLoc())
          << "overlap has no effect: no collective has an operation beside which it could run";
  }

private:
  LogicalResult checkKinds() {
    constexpr StringLiteral known[] = {"all_gather", "all_reduce", "all_to_all",     "broadcast",
                                       "gather",     "reduce",     "reduce_scatter", "scatter"};
    for (const std::string &kind : kinds)
      if (!llvm::is_contained(known, StringRef(kind)))
        return mlir::emitError(getOperation().getLoc())
               << "collective-overlap: '" << kind << "' is no kind of collective; kinds are "
               << llvm::join(ArrayRef(known), ", ");
    return success();
  }

  bool isWanted(BucketOpInterface op) {
    return isSynchronous(op) && (kinds.empty() || llvm::is_contained(kinds, spellKind(op).str()));
  }

  bool hasCollectives = false, hasOverlap = false;

  /// Each block for itself, inner ones first: what stands in a loop or a branch is started and
  /// awaited there.
  void overlap(func::FuncOp function, const CollectiveMotion &motion) {
    SmallVector<Block *> blocks;
    function.walk<WalkOrder::PostOrder>([&](Operation *op) {
      for (Region &region : op->getRegions())
        if (region.hasOneBlock() && !isa<CommunicationStartOpInterface>(op))
          blocks.push_back(&region.front());
        else
          leaveBetweenBlocks(region);
    });
    for (Block *block : blocks)
      overlap(*block, function, motion);
  }

  void overlap(Block &block, func::FuncOp function, const CollectiveMotion &motion) {
    SmallVector<Chain> chains = findChains(
        block, [&](BucketOpInterface op) { return isWanted(op) && mayStart(op, motion); });
    if (chains.empty())
      return;
    hasCollectives = true;
    Overlap overlap(block, std::move(chains));
    for (unsigned number = 0; number < overlap.countChains(); ++number)
      report(overlap.linksOf(number), overlap.workBeside(number), function);
    overlap.rewrite();
  }

  bool mayStart(BucketOpInterface op, const CollectiveMotion &motion) {
    Refusal refusal = whySynchronous(op, motion);
    if (!refusal)
      return true;
    ++synchronous;
    remark::missed(op.getLoc(), remarkBy(getArgument(), op))
        << spellKind(op) << " stays synchronous: " << refusal.reason();
    return false;
  }

  /// What may not run at all can't be started before it is known whether it does.
  void leaveBetweenBlocks(Region &region) {
    for (auto op : region.getOps<BucketOpInterface>())
      if (isWanted(op)) {
        ++synchronous;
        remark::missed(op.getLoc(), remarkBy(getArgument(), op))
            << spellKind(op) << " stays synchronous: branches between blocks lead to it";
      }
  }

  void report(ArrayRef<Operation *> links, unsigned work, func::FuncOp function) {
    Operation *op = links.front();
    auto options = remarkBy(getArgument(), function);
    if (work == 0) {
      synchronous += links.size();
      remark::missed(op->getLoc(), options)
          << spellKind(op)
          << " stays synchronous: its outcome is needed before anything else can be "
          << "computed";
      return;
    }
    hasOverlap = true;
    asynchronous += links.size();
    chained += links.size() - 1;
    remark::passed(op->getLoc(), options)
        << spellKind(op) << " of " << counted(links.back()->getNumResults(), "input")
        << " runs beside " << counted(work, "operation");
  }
};
} // namespace
