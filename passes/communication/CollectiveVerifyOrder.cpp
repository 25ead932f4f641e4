// collective-verify-order: proves that no rank waits forever, or says why one might.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/ranks/Communication.h"
#include "lib/analysis/Trust.h"
#include "lib/analysis/Uniformity.h"
#include "lib/analysis/order/RankTrace.h"
#include "lib/analysis/order/Rendezvous.h"
#include "lib/analysis/order/ServedOrder.h"
#include "passes/communication/GroupLifetimes.h"
#include "passes/communication/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tutti::communication {
#define GEN_PASS_DEF_COLLECTIVEVERIFYORDERPASS
#include "passes/communication/Passes.h.inc"
} // namespace tutti::communication

using namespace mlir;
using namespace tutti;
using namespace tutti::collective;

/// Operations of other dialects may name what is no group of theirs.
static LogicalResult verifyGroup(Operation *op) {
  SmallVector<FlatSymbolRefAttr> groups(getGroupsOf(op));
  if (auto collective = dyn_cast<CollectiveOpInterface>(op)) // it may be without a form
    groups.push_back(collective.getGroupAttr());
  for (FlatSymbolRefAttr group : groups)
    if (!findGroup(op, group))
      return mlir::emitError(op->getLoc())
             << "'" << op->getName() << "' communicates on " << group
             << ", which is no group: nobody knows who takes part; declare a symbol of this name "
                "that has GroupOpInterface";
  return success();
}

static LogicalResult verifyDefinedOrder(Operation *op) {
  Operation *around = findUndefinedOrder(op);
  if (!around)
    return success();
  InFlightDiagnostic error = mlir::emitError(op->getLoc())
                             << "'" << op->getName() << "' stands in a region that '"
                             << around->getName()
                             << "' runs in an order, or a number of times, that is not defined; "
                                "ranks may run it differently";
  error.attachNote(around->getLoc()) << "the region is here";
  return error;
}

/// The error at `op`, which not all ranks reach equally often.
static LogicalResult emitDivergent(Operation *op, const UniformityAnalysis &uniformity) {
  auto [branch, control, inside] = uniformity.findDivergence(op);
  InFlightDiagnostic error = mlir::emitError(op->getLoc())
                             << "not all ranks reach '" << op->getName()
                             << "' equally often: those that do would wait for the others for ever";
  bool isLoop = isa<LoopLikeOpInterface>(branch);
  error.attachNote(branch->getLoc())
      << "ranks decide '" << branch->getName() << "' differently"
      << (isLoop ? ", so that they run its body different numbers of times" : "");
  if (inside != op && isa<CallOpInterface>(inside))
    error.attachNote(inside->getLoc()) << "it is called from here";
  uniformity.explain(control, error);
  return error;
}

namespace {
/// What the pass found in one module before it evaluates ranks.
struct Findings {
  SmallVector<Operation *>
      divergent; ///< collectives on parts of the world that not all ranks reach
  SmallVector<Operation *> messages;
};

struct VerifyOrder : communication::impl::CollectiveVerifyOrderPassBase<VerifyOrder> {
  using CollectiveVerifyOrderPassBase::CollectiveVerifyOrderPassBase;

  void runOnOperation() override {
    const auto &uniformity = getAnalysis<UniformityAnalysis>();
    Communicating communicating(getOperation());
    SmallVector<FunctionOpInterface> entries = findEntries(communicating);
    Findings findings;
    if (failed(verifyEach(uniformity, findings)) ||
        failed(verifyServedOrder(getOperation(), uniformity)) || failed(verifyGroups(entries)) ||
        failed(verifyRanks(entries, communicating, uniformity, findings)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Functions that communicate and that nothing in the module calls: where ranks come in.
  SmallVector<FunctionOpInterface> findEntries(const Communicating &communicating) {
    SmallVector<FunctionOpInterface> entries;
    getOperation().walk([&](FunctionOpInterface function) {
      if (!function.isExternal() && !communicating.isCalled(function) &&
          communicating.contains(function))
        entries.push_back(function);
    });
    return entries;
  }

  /// What one operation tells by itself and by where it stands.
  LogicalResult verifyEach(const UniformityAnalysis &uniformity, Findings &findings) {
    WalkResult result = getOperation().walk([&](Operation *op) -> WalkResult {
      if (auto start = dyn_cast<CommunicationStartOpInterface>(op);
          start && start.getFutureValue().use_empty())
        return mlir::emitError(op->getLoc())
               << "the future is never awaited, so that nobody knows when its "
                  "communication is complete; add "
               << start.getDoneName();
      bool isMessage = isa<PointToPointOpInterface>(op);
      if (!isMessage && !isa<CollectiveOpInterface>(op))
        return WalkResult::advance();
      if (failed(verifyGroup(op)) || failed(verifyDefinedOrder(op)))
        return WalkResult::interrupt();
      if (isMessage)
        findings.messages.push_back(op);
      else if (failed(verifyReached(op, uniformity, findings)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// Every rank must reach a collective of all ranks; that of a part may be reached by the part.
  LogicalResult verifyReached(Operation *op, const UniformityAnalysis &uniformity,
                              Findings &findings) {
    ++collectives;
    if (!uniformity.getDivergence(op))
      return success();
    auto symbol = cast<CollectiveOpInterface>(op).getGroupAttr();
    if (!getWorldSize() || findGroup(op, symbol).isOfWholeWorld())
      return emitDivergent(op, uniformity);
    findings.divergent.push_back(op);
    return success();
  }

  static LogicalResult verifyGroups(ArrayRef<FunctionOpInterface> entries) {
    for (FunctionOpInterface entry : entries)
      if (failed(communication::verifyGroupLifetimes(entry)))
        return failure();
    return success();
  }

  LogicalResult verifyRanks(ArrayRef<FunctionOpInterface> entries,
                            const Communicating &communicating,
                            const UniformityAnalysis &uniformity, const Findings &findings) {
    if (findings.messages.empty() && findings.divergent.empty())
      return success();
    std::optional<int64_t> world = getWorldSize();
    if (!world) {
      mlir::emitWarning(findings.messages.front()->getLoc())
          << "messages are not checked, because the number of ranks is not known: give a group its "
             "size (specialize-world) or the pass the option ranks";
      return success();
    }
    RankSets sets(*world);
    RankTracer tracer(communicating, uniformity, sets);
    for (FunctionOpInterface entry : entries)
      if (failed(verifyRanks(entry, *world, tracer)))
        return failure();
    return success();
  }

  LogicalResult verifyRanks(FunctionOpInterface entry, int64_t world, RankTracer &tracer) {
    SmallVector<RankTrace> traces;
    for (int64_t rank = 0; rank < world; ++rank) {
      FailureOr<RankTrace> trace = tracer.trace(entry, rank);
      if (failed(trace))
        return failure();
      traces.push_back(std::move(*trace));
      ++evaluatedRanks;
    }
    return verifyRendezvous(traces);
  }

  std::optional<int64_t> getWorldSize() {
    if (ranks > 0)
      return ranks;
    return findWorldSize(getOperation());
  }
};
} // namespace
