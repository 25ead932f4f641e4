// specialize-world: the program for N ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/train/ProgramClaims.h"
#include "lib/program/gradients/GradientRoles.h"
#include "passes/specialize/Passes.h"
#include "passes/specialize/Specialization.h"

#include "dialects/interfaces/ranks/Communication.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tutti::specialize {
#define GEN_PASS_DEF_SPECIALIZEWORLDPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

using namespace mlir;
using namespace tutti;
using namespace tutti::specialize;
using namespace tutti::program;
using tutti::train::BatchPolicy;

/// Refuses a batch that the ranks do not divide, and says what each policy would make of it.
static LogicalResult emitIndivisible(train::DatasetOp dataset, int64_t batch, int64_t ranks) {
  int64_t part = batch / ranks, rest = batch % ranks;
  InFlightDiagnostic error = mlir::emitError(dataset.getLoc())
                             << "the global batch of @" << dataset.getSymName() << " is " << batch
                             << ", which " << ranks
                             << " ranks do not divide; choose a policy with "
                                "--distribute=\"batch-policy=drop|pad|weighted\", another global "
                                "batch or another number of ranks";
  if (part > 0)
    error.attachNote() << "drop trains on " << part * ranks << " samples a step and leaves " << rest
                       << " out";
  error.attachNote() << "pad trains on " << (part + 1) * ranks << " samples a step, "
                     << ranks - rest << " of them repeated";
  if (part > 0)
    error.attachNote() << "weighted gives " << part + 1 << " samples to " << rest
                       << " of the ranks and " << part
                       << " to the others, and weights what they contribute";
  return error;
}

/// Whether every rank gets work and the policy allows what is left over.
static LogicalResult verifyBatch(train::DatasetOp dataset, int64_t ranks) {
  if (!dataset.getGlobalBatch())
    return mlir::emitError(dataset.getLoc())
           << "@" << dataset.getSymName() << " has no global_batch to divide among " << ranks
           << " ranks; give one with --train=\"global-batch=N\"";
  int64_t batch = *dataset.getGlobalBatch();
  BatchPolicy policy = dataset.getShard()->getPolicy();
  if (batch % ranks != 0 && policy == BatchPolicy::Error)
    return emitIndivisible(dataset, batch, ranks);
  if (batch < ranks && policy != BatchPolicy::Pad)
    return mlir::emitError(dataset.getLoc())
           << "the global batch of @" << dataset.getSymName() << " is " << batch
           << ": with batch-policy=" << stringifyBatchPolicy(policy) << " some of " << ranks
           << " ranks would get no sample; use fewer ranks or batch-policy=pad";
  return success();
}

namespace {
struct SpecializeWorld : specialize::impl::SpecializeWorldPassBase<SpecializeWorld> {
  using SpecializeWorldPassBase::SpecializeWorldPassBase;

  void runOnOperation() override {
    FailureOr<Program> program = Program::find(getOperation());
    if (succeeded(program) && failed(countGroups(program->module)))
      return signalPassFailure();
    if (failed(program) || failed(verifyRanks(program->module)) ||
        failed(setGroupSizes(program->module)) || failed(setShards(program->module)))
      return signalPassFailure();
    foldedOps += foldWorld(program->module);
    if (ranks == 1) {
      if (neighbours == 1) // others find the dialect that the program communicates in by its group
        eraseUnusedGroups(program->module);
      program->module->removeAttr(train::kSumsGradients);
      program->module->removeAttr(train::kFixedBatch);
      unmarkNamedGradients(*program);
    }
    if (failed(runAtLaunch(program->module)))
      signalPassFailure();
  }

private:
  /// Until the model is cut among neighbours, a rank of the program is a group of them.
  LogicalResult countGroups(ModuleOp module) {
    auto mesh = module->getAttrOfType<DenseI64ArrayAttr>(train::kMesh);
    if (!mesh || ranks < 1)
      return success();
    int64_t groups = mesh[0], neighbours = mesh[1];
    if (ranks == 1 && groups <= 1) { // one device is the reference, whatever the mesh
      module->removeAttr(train::kMesh);
      return success();
    }
    if (ranks % neighbours != 0 || (groups > 0 && ranks != groups * neighbours)) {
      InFlightDiagnostic error = mlir::emitError(module.getLoc())
                                 << ranks.getValue() << " ranks do not make the mesh ";
      if (groups > 0)
        error << "dp:" << groups << ",";
      return error << "tp:" << neighbours << "; start "
                   << (groups > 0 ? groups * neighbours : neighbours)
                   << (groups > 0 ? "" : ", or a multiple of it,") << " or change mesh";
    }
    ranks = ranks / neighbours;
    this->neighbours = neighbours;
    if (neighbours == 1)
      module->removeAttr(train::kMesh);
    return success();
  }

  LogicalResult verifyRanks(ModuleOp module) {
    if (ranks < 1)
      return mlir::emitError(module.getLoc())
             << "specialize-world needs a number of ranks, 1 or more: ranks=N";
    bool isDistributed = !module.getOps<GroupOpInterface>().empty();
    if (ranks > 1 && !isDistributed)
      return mlir::emitError(module.getLoc())
             << "the program is not distributed, so it cannot be specialised for "
             << ranks.getValue() << " ranks: run --distribute first";
    if (auto coupled = module->getAttrOfType<LocationAttr>(train::kFixedBatch);
        coupled && ranks > 1)
      return mlir::emitError(Location(coupled))
             << "works on the whole batch, which this model fixes: each of " << ranks.getValue()
             << " ranks would have a batch of its own; export the model with a symbolic batch, or "
                "train it on one rank";
    return success();
  }

  /// Sets the size of the world, from which the sizes of sets of ranks follow.
  LogicalResult setGroupSizes(ModuleOp module) {
    if (!module.getOps<GroupOpInterface>().empty())
      getOrCreateWorld(module);
    for (auto group : module.getOps<GroupOpInterface>()) {
      GroupForm form = group.getGroupForm();
      if (form.kind != GroupForm::World)
        continue;
      if (form.size && *form.size != ranks)
        return mlir::emitError(group.getLoc())
               << "@" << SymbolTable::getSymbolName(group).getValue() << " has " << *form.size
               << " ranks already and cannot be specialised for " << ranks.getValue();
      group.declareSize(ranks);
    }
    return success();
  }

  LogicalResult setShards(ModuleOp module) {
    for (auto dataset : module.getOps<train::DatasetOp>()) {
      std::optional<train::ShardAttr> shard = dataset.getShard();
      if (!shard)
        continue;
      if (ranks == 1) {
        dataset.removeShardAttr();
        continue;
      }
      // Of a program that is cut, those that hold the same parts share the batch.
      auto group =
          SymbolTable::lookupNearestSymbolFrom<GroupOpInterface>(module, shard->getGroup());
      GroupForm form = group ? group.getGroupForm() : GroupForm();
      int64_t sharing = form.kind == GroupForm::Strided ? form.size.value_or(ranks) : ranks;
      if (failed(verifyBatch(dataset, sharing)))
        return failure();
      dataset.setShardAttr(train::ShardAttr::get(&getContext(), shard->getMode(),
                                                 shard->getPolicy(), shard->getGroup(), sharing));
    }
    return success();
  }

  /// On one rank most passes that waited are dropped: the program must stay as it was.
  LogicalResult runAtLaunch(ModuleOp module) {
    OpPassManager passes(ModuleOp::getOperationName());
    if (failed(takeAtLaunch(module, ranks * neighbours, passes)))
      return failure();
    return passes.empty() ? success() : runPipeline(passes, module);
  }

  int64_t neighbours = 1; ///< that share a model

  static void eraseUnusedGroups(ModuleOp module) {
    for (auto group : llvm::make_early_inc_range(module.getOps<GroupOpInterface>()))
      if (SymbolTable::symbolKnownUseEmpty(group, module))
        group.erase();
  }
};
} // namespace
