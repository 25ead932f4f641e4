// Runs the pipelines of a launch on a copy, as far as costs need them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/planning/Prediction.h"

#include "dialects/interfaces/ranks/Communication.h"
#include "lib/diagnostics/QuietDiagnostics.h"
#include "passes/compile/Pipelines.h"
#include "passes/specialize/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tutti;

std::optional<int64_t> planning::ranksOf(ModuleOp program) {
  if (program.getOps<GroupOpInterface>().empty())
    return 1;
  return findWorldSize(program);
}

bool planning::dependsOnRanks(ModuleOp program) {
  return program->hasAttr("train.at_launch") ||
         llvm::any_of(program.getOps<GroupOpInterface>(), [](GroupOpInterface group) {
           return group.getGroupForm().kind != GroupForm::World;
         });
}

/// Evaluation is of no interest, and may be large.
static void keepStepOnly(ModuleOp module) {
  if (Operation *evaluate = module.lookupSymbol("evaluate"))
    evaluate->erase();
}

/// Runs what `build` adds; its first error is `why`.
static LogicalResult runQuietly(ModuleOp copy, llvm::function_ref<void(PassManager &)> build,
                                std::string &why) {
  diagnostics::QuietDiagnostics quiet(copy.getContext(), &why);
  PassManager passes(copy.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false); // which would take as long as the passes, for a program nobody sees
  build(passes);
  if (succeeded(passes.run(copy)))
    return success();
  if (why.empty())
    why = "it cannot be lowered";
  return failure();
}

LogicalResult planning::specializeCopy(ModuleOp copy, const Setting &setting, std::string &why) {
  keepStepOnly(copy);
  return runQuietly(
      copy,
      [&](PassManager &passes) {
        if (!ranksOf(copy)) {
          specialize::SpecializeWorldPassOptions options;
          options.ranks = setting.ranks;
          passes.addPass(specialize::createSpecializeWorldPass(options));
        }
        compile::CompileOptions options;
        options.localBatch = setting.localBatch;
        compile::addSpecializePipeline(passes, options);
      },
      why);
}

LogicalResult planning::lowerSpecialized(ModuleOp copy, std::string &why) {
  return runQuietly(
      copy, [](PassManager &passes) { compile::addTensorLoweringPipeline(passes); }, why);
}

LogicalResult planning::lowerCopy(ModuleOp copy, const Setting &setting, std::string &why) {
  return failed(specializeCopy(copy, setting, why)) ? failure() : lowerSpecialized(copy, why);
}

OwningOpRef<ModuleOp> planning::lowerForCosts(ModuleOp program, const Setting &setting,
                                              std::string &why) {
  OwningOpRef<ModuleOp> copy = program.clone();
  return succeeded(lowerCopy(*copy, setting, why)) ? std::move(copy) : nullptr;
}
