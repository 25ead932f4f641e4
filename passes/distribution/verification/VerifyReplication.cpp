// distribute-verify-replication: the proof that ranks stay together, or the reason why not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/interfaces/ranks/Communication.h"
#include "dialects/ps/Ps.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "lib/analysis/order/ServedOrder.h"
#include "lib/layout/ranks/RankLayouts.h"
#include "lib/program/GradientChain.h"
#include "lib/program/Program.h"
#include "lib/program/gradients/GradientRoles.h"
#include "lib/program/gradients/Gradients.h"
#include "passes/distribution/GradientOrder.h"
#include "passes/distribution/Passes.h"
#include "passes/distribution/tensor/VerifyTensor.h"
#include "passes/distribution/verification/GradientVerdict.h"
#include "passes/distribution/verification/PlaceVerdict.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_VERIFYREPLICATIONPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// Each replicated variable that `function` returns is equal on every rank. What is common to
/// several of them, the origin of the variation, is explained once.
static LogicalResult verifyVariables(func::FuncOp function, const UniformityAnalysis &uniformity) {
  LogicalResult result = success();
  llvm::SmallDenseSet<Value> explained;
  for (VariableResult variable : getVariableResults(function)) {
    Value value = variable.value->get();
    if (!variable.role.isReplicated() || uniformity.isUniform(value))
      continue;
    InFlightDiagnostic error = mlir::emitError(value.getLoc())
                               << "variable \"" << variable.role.getName() << "\" leaves @"
                               << function.getName() << " different on different ranks";
    if (explained.insert(uniformity.getPath(value).front()).second)
      uniformity.explain(value, error);
    result = error;
  }
  return result;
}

/// Collectives of a part of the world are left to collective-verify-order, which follows each rank.
static LogicalResult verifyControl(ModuleOp module, const UniformityAnalysis &uniformity) {
  WalkResult result = module.walk([&](collective::CollectiveOpInterface op) {
    auto [branch, control, inside] = uniformity.findDivergence(op);
    GroupOpInterface group = findGroup(op, op.getGroupAttr());
    if (!control || (group && !group.isOfWholeWorld()))
      return WalkResult::advance();
    InFlightDiagnostic error =
        mlir::emitError(op.getLoc())
        << "'" << op->getName()
        << "' stands under control flow that ranks decide differently: those "
           "that reach it would wait for the others for ever";
    error.attachNote(branch->getLoc()) << "ranks decide '" << branch->getName() << "' differently";
    uniformity.explain(control, error);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Workers that have no common steps do not meet in one.
static LogicalResult verifyAlone(func::FuncOp step) {
  WalkResult result = step.walk([&](collective::CollectiveOpInterface op) {
    return WalkResult(op->emitError("is reached by workers that have no common steps, because "
                                    "servers take their pushes asynchronously"));
  });
  return failure(result.wasInterrupted());
}

static bool isAsynchronous(ModuleOp module) {
  return llvm::any_of(module.getOps<ps::TableOp>(),
                      [](ps::TableOp table) { return table.getAsynchronous(); });
}

/// Whether `value` is this rank's part, at its place, of what was reduced.
static bool isPartOfReduced(Value value, const RankLayouts &places) {
  const Place &place = places.getPlace(value);
  return place.kind == Place::Shard && !place.findOddCut();
}

/// Whether each rank rightly has a gradient of its own: for its own variable, or for its part of
/// one.
static bool mayVary(const Gradient &gradient, const RankLayouts &places) {
  return isPartOfReduced(gradient.value, places) ||
         llvm::all_of(gradient.uses, [](OpOperand *use) { return updatesRanksOwn(*use); });
}

/// Every gradient is reduced.
static LogicalResult verifyGradient(const Gradient &gradient, const UniformityAnalysis &uniformity,
                                    const RankLayouts &places) {
  if (!uniformity.isUniform(gradient.value) && !mayVary(gradient, places)) {
    InFlightDiagnostic error = mlir::emitError(gradient.uses.front()->getOwner()->getLoc())
                               << "the gradient that '"
                               << gradient.uses.front()->getOwner()->getName()
                               << "' takes is not reduced over the ranks";
    uniformity.explain(gradient.value, error);
    return error;
  }
  return success();
}

/// The same of a gradient that an attribute names.
static LogicalResult verifyNamed(const NamedGradient &gradient,
                                 const UniformityAnalysis &uniformity, const RankLayouts &places) {
  if (uniformity.isUniform(gradient.value) || isPartOfReduced(gradient.value, places))
    return success();
  InFlightDiagnostic error = mlir::emitError(gradient.value.getLoc()) << "the gradient";
  if (!gradient.variable.empty())
    error << " of variable \"" << gradient.variable << "\"";
  error << " that " << train::TrainDialect::kGradient
        << " names here is not reduced over the ranks: run distribute-reduce-gradients";
  uniformity.explain(gradient.value, error);
  return error;
}

static LogicalResult verifyGradients(func::FuncOp step, const UniformityAnalysis &uniformity,
                                     const RankLayouts &places) {
  LogicalResult result = success();
  for (const Gradient &gradient : Gradients::findOptimized(step))
    if (failed(verifyGradient(gradient, uniformity, places)))
      result = failure();
  for (const Gradient &gradient : Gradients::findMarked(step))
    if (failed(verifyGradient(gradient, uniformity, places)))
      result = failure();
  for (const NamedGradient &gradient : findNamedGradients(step))
    if (failed(verifyNamed(gradient, uniformity, places)))
      result = failure();
  return result;
}

namespace {
struct VerifyReplication : distribution::impl::VerifyReplicationPassBase<VerifyReplication> {
  using VerifyReplicationPassBase::VerifyReplicationPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    VerifyReplicationPassBase::getDependentDialects(registry);
    registry.insert<tensor::TensorDialect>(); // of the copy that ranks of one axis see
  }

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (failed(program))
      return signalPassFailure();
    LogicalResult result = program->module->hasAttr(train::kTensorParts)
                               ? verifyMesh(*program, getArgument())
                               : verify(*program, getAnalysis<UniformityAnalysis>(), getArgument());
    if (failed(result))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// Along each axis of the mesh, with the other as it is.
  static LogicalResult verifyMesh(Program program, StringRef pass) {
    if (failed(verifyParts(program)))
      return failure();
    int64_t parts = program.module->getAttrOfType<IntegerAttr>(train::kTensorParts).getInt();
    OwningOpRef<ModuleOp> copy = copyForData(program.module);
    FailureOr<Program> ofData = copy ? Program::find(*copy) : FailureOr<Program>(failure());
    if (failed(ofData))
      return failure();
    UniformityAnalysis uniformity(*copy);
    if (collective::lookupWorldSize(program.module).value_or(parts) == parts)
      return verifyOrder(*copy, uniformity); // all ranks have the same samples
    return verify(*ofData, uniformity, pass);
  }

  /// All ranks come to the same requests.
  static LogicalResult verifyOrder(ModuleOp module, const UniformityAnalysis &uniformity) {
    for (auto table : module.getOps<ps::TableOp>())
      if (table.getNeighbours())
        return mlir::emitError(table.getLoc())
               << "servers of table @" << table.getSymName() << " count " << table.countNeighbours()
               << " workers as one, but each has samples of its own";
    return success(succeeded(verifyControl(module, uniformity)) &&
                   succeeded(verifyServedOrder(module, uniformity)));
  }

  /// Variables last, and only where the gradients are right: they would all fail for that one
  /// reason.
  static LogicalResult verify(Program program, const UniformityAnalysis &uniformity,
                              StringRef pass) {
    if (failed(verifyOrder(program.module, uniformity)))
      return failure();
    if (isAsynchronous(program.module)) // what is not with the servers is each worker's own
      return verifyAlone(program.step);
    RankLayouts places(program.step, uniformity);
    if (failed(verifyScale(program, places, pass)) ||
        failed(verifyPlaces(program, uniformity, places, pass)) ||
        failed(verifyGradients(program.step, uniformity, places)) ||
        failed(verifyGradientOrder(program.step, uniformity)))
      return failure();
    LogicalResult initial = verifyVariables(program.initialize, uniformity);
    LogicalResult next = verifyVariables(program.step, uniformity);
    return success(succeeded(initial) && succeeded(next));
  }
};
} // namespace
