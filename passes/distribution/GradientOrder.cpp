// Walks back from each operation on gradients to the one before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/distribution/GradientOrder.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/train/Train.h"
#include "lib/program/GradientChain.h"

using namespace mlir;
using namespace tutti;
using namespace tutti::program;

static constexpr StringLiteral canonicalOrder =
    "; the order is reduce, unscale, finite check, norm, clip, update";

/// An error about `later`, which should stand before `earlier`.
static InFlightDiagnostic emitDisorder(Operation *later, Operation *earlier, StringRef why) {
  InFlightDiagnostic error = mlir::emitError(later->getLoc())
                             << "'" << later->getName() << "' of a gradient comes after '"
                             << earlier->getName() << "'" << why << canonicalOrder;
  error.attachNote(earlier->getLoc()) << "'" << earlier->getName() << "' is here";
  return error;
}

static bool isReducedOverRanks(Operation *op) {
  return isKind(op, {CommunicationKind::AllReduce, CommunicationKind::ReduceScatter});
}

/// The reduction over ranks whose result is `value`, if it is one.
static OpOperand *getReduced(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isReducedOverRanks(op))
    return nullptr;
  return &op->getOpOperand(cast<OpResult>(value).getResultNumber());
}

namespace {
/// What made a gradient: the nearest operation with a stage, and the reduction between, if there is
/// one.
struct Origin {
  Operation *staged = nullptr;
  Operation *reduction = nullptr;
};
} // namespace

static Origin findOrigin(Value gradient) {
  Origin origin;
  while (true) {
    Operation *op = gradient.getDefiningOp();
    if (op && getGradientStage(op)) {
      origin.staged = op;
      return origin;
    }
    OpOperand *from = getReduced(gradient);
    if (from)
      origin.reduction = op;
    else
      from = getPassedOn(gradient);
    if (!from)
      return origin;
    gradient = from->get();
  }
}

/// Whether the gradient in `use` was scaled or clipped too early.
static LogicalResult verifyOrigin(OpOperand &use) {
  Operation *op = use.getOwner();
  Origin origin = findOrigin(use.get());
  // An optimizer's results are variables.
  if (!origin.staged || isa<OptimizerOpInterface>(origin.staged))
    return success();
  if (origin.reduction)
    return emitDisorder(origin.reduction, origin.staged, "");
  GradientStage stage = *getGradientStage(op), before = *getGradientStage(origin.staged);
  if (before < stage)
    return success();
  return emitDisorder(op, origin.staged, before == stage ? ", which does the same" : "");
}

/// A check or a norm must take the newest value of a gradient, not an earlier one.
static LogicalResult verifyNothingMissed(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!measuresGradients(op))
    return success();
  for (Operation *other : use.get().getUsers())
    if (isa<train::UnscaleOp>(other)) {
      InFlightDiagnostic error = mlir::emitError(op->getLoc())
                                 << "'" << op->getName() << "' is taken of a gradient before '"
                                 << other->getName() << "'" << canonicalOrder;
      error.attachNote(other->getLoc()) << "'" << other->getName() << "' is here";
      return error;
    }
  return success();
}

/// The reduction that the gradients of `check` reach, or null.
static Operation *findLaterReduction(Operation *check) {
  constexpr unsigned reach = 64; // bounds the time
  SmallVector<Value> open(check->getOperands().take_front(reach));
  for (unsigned next = 0; next < open.size() && open.size() < 4 * reach; ++next)
    for (Operation *user : open[next].getUsers()) {
      if (isReducedOverRanks(user))
        return user;
      if (user != check)
        llvm::append_range(open, user->getResults());
    }
  return nullptr;
}

/// Whether what `user` decides concerns this rank alone: its own variables, or a number that tells
/// of the decision. What such a number reaches varies, which is to be proved right elsewhere.
static bool decidesForItself(Operation *user, const UniformityAnalysis &uniformity) {
  if (isa<train::ClipOp>(user))
    return updatesRanksOwn(user->getOpOperand(0));
  auto select = dyn_cast<train::SelectOp>(user);
  if (!select)
    return isRanksOwn(cast<train::UpdateLossScaleOp>(user).getScale());
  bool keepsVariable = isa<BlockArgument>(select.getOnFalse());
  return keepsVariable ? isRanksOwn(select.getOnFalse())
                       : uniformity.isUniform(select.getOnFalse());
}

/// A decision that each rank takes for itself must be equal on all ranks.
static LogicalResult verifyDecision(Operation *user, Value decision,
                                    const UniformityAnalysis &uniformity) {
  if (uniformity.isUniform(decision) || decidesForItself(user, uniformity))
    return success();
  Operation *check = decision.getDefiningOp();
  if (!check || !measuresGradients(check))
    check = user;
  InFlightDiagnostic error = mlir::emitError(check->getLoc()) << "'" << check->getName() << "'";
  Operation *reduction = findLaterReduction(check);
  if (reduction)
    error << " comes before '" << reduction->getName() << "'";
  else
    error << " is not reduced over the ranks";
  error << ", so that '" << user->getName() << "' would do something else on each rank"
        << canonicalOrder;
  if (reduction)
    error.attachNote(reduction->getLoc()) << "'" << reduction->getName() << "' is here";
  error.attachNote(user->getLoc()) << "'" << user->getName() << "' is here";
  uniformity.explain(decision, error);
  return error;
}

LogicalResult tutti::distribution::verifyGradientOrder(func::FuncOp step,
                                                       const UniformityAnalysis &uniformity) {
  LogicalResult result = success();
  llvm::DenseSet<Value> decided;
  auto decide = [&](Operation *user, Value decision) {
    if (!decided.contains(decision) && failed(verifyDecision(user, decision, uniformity))) {
      decided.insert(decision);
      result = failure();
    }
  };
  step.walk([&](Operation *op) {
    forEachGradient(op, [&](OpOperand &use) {
      if (failed(verifyOrigin(use)) || failed(verifyNothingMissed(use)))
        result = failure();
    });
    if (auto clip = dyn_cast<train::ClipOp>(op))
      decide(op, clip.getNorm());
    if (auto select = dyn_cast<train::SelectOp>(op))
      decide(op, select.getCondition());
    if (auto update = dyn_cast<train::UpdateLossScaleOp>(op))
      decide(op, update.getFinite());
  });
  return result;
}
