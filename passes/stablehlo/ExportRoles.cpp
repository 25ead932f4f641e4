// stablehlo-export-roles: roles go, and the step is called and ordered as it was.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/collective/Collective.h"
#include "dialects/interfaces/Determinism.h"
#include "dialects/train/ProgramClaims.h"
#include "dialects/train/Train.h"
#include "lib/program/Roles.h"
#include "lib/stablehlo/Ops.h"
#include "passes/stablehlo/Passes.h"
#include "passes/stablehlo/Roles.h"

namespace tutti::stablehlo {
#define GEN_PASS_DEF_EXPORTROLESPASS
#include "passes/stablehlo/Passes.h.inc"
} // namespace tutti::stablehlo

using namespace mlir;
using namespace tutti;
using namespace tutti::stablehlo;
using train::TrainDialect;

namespace {
struct ExportRoles : stablehlo::impl::ExportRolesPassBase<ExportRoles> {
  using ExportRolesPassBase::ExportRolesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto step = module.lookupSymbol<func::FuncOp>("step");
    if (!step || !module->hasAttr(TrainDialect::kProgram)) {
      mlir::emitError(module.getLoc())
          << "is no program that stablehlo-import-roles made: it lacks " << TrainDialect::kProgram
          << " or @step";
      return signalPassFailure();
    }
    if (entry != "step" && module.lookupSymbol(entry)) {
      mlir::emitError(module.getLoc()) << "has a symbol @" << entry << " already";
      return signalPassFailure();
    }
    writeReplicas();
    dropModuleRoles();
    program::eraseRoles(step);
    restorePlaces(step);
    step.setName(entry);
    for (auto group : llvm::make_early_inc_range(module.getOps<collective::GroupOp>()))
      if (!isNamed(module, group.getSymNameAttr()))
        group.erase();
  }

private:
  /// As many as its batch is divided among, of groups of neighbours that share the variables;
  /// without either the program is for one.
  void writeReplicas() {
    auto batch = getOperation().lookupSymbol<train::DatasetOp>(kBatch);
    int64_t ranks = 1;
    if (batch && batch.getShard() && batch.getShard()->getRanks() > 1)
      ranks = batch.getShard()->getRanks();
    if (auto parts = getOperation()->getAttrOfType<IntegerAttr>(train::kTensorParts))
      ranks *= parts.getInt();
    if (ranks > 1)
      getOperation()->setAttr(kReplicas, OpBuilder(&getContext()).getI32IntegerAttr(ranks));
  }

  void dropModuleRoles() {
    ModuleOp module = getOperation();
    module->removeAttr(TrainDialect::kProgram);
    withdrawDeterministic(module);
    module->removeAttr(train::kTensorParts);
    module->removeAttr(train::kTensorRanges);
    if (Operation *initialize = module.lookupSymbol("initialize"))
      initialize->erase();
    for (StringRef name : {StringRef(kBatch), StringRef(kGiven)})
      if (auto dataset = module.lookupSymbol<train::DatasetOp>(name))
        dataset.erase();
  }

  static void restorePlaces(func::FuncOp step) {
    SmallVector<unsigned> order(step.getNumResults());
    for (unsigned index = 0; index < step.getNumResults(); ++index) {
      auto place = step.getResultAttrOfType<IntegerAttr>(index, kPlace);
      if (!place || place.getInt() < 0 || place.getInt() >= step.getNumResults())
        return;
      order[place.getInt()] = index;
    }
    permuteResults(step, order);
    for (unsigned index = 0; index < step.getNumResults(); ++index)
      step.removeResultAttr(index, StringAttr::get(step.getContext(), kPlace));
  }
};
} // namespace
