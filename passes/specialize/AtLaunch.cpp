// distribute-at-launch: what has to wait until the number of ranks is known is written into the
// program, so that `specialize-world` finds it there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/specialize/Specialization.h"

#include "lib/program/Program.h"
#include "passes/specialize/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

namespace tutti::specialize {
#define GEN_PASS_DEF_ATLAUNCHPASS
#include "passes/specialize/Passes.h.inc"
} // namespace tutti::specialize

using namespace mlir;
using namespace tutti;
using tutti::train::TrainDialect;

/// The passes that wait already.
static SmallVector<Attribute> waitingPasses(ModuleOp module) {
  auto passes = module->getAttrOfType<ArrayAttr>(TrainDialect::kAtLaunch);
  return passes ? SmallVector<Attribute>(passes.getValue()) : SmallVector<Attribute>();
}

/// What a program may ask for. It may come from an unknown source, and the user who launches it may
/// not have read it: these passes rewrite the program and write no file.
static constexpr StringRef kMayWait[] = {"canonicalize",
                                         "collective-choose",
                                         "collective-compress",
                                         "collective-fuse",
                                         "collective-hierarchy",
                                         "collective-overlap",
                                         "collective-simplify",
                                         "collective-verify-order",
                                         "cse",
                                         "distribute-local-sgd",
                                         "distribute-shard-optimizer",
                                         "distribute-verify-replication",
                                         "symbol-dce"};

/// One that is nested in another, or a part of a pipeline, has no name here.
static LogicalResult verifyMayWait(ModuleOp module, StringRef text, Pass &pass) {
  if (llvm::is_contained(kMayWait, pass.getArgument()))
    return success();
  InFlightDiagnostic error = mlir::emitError(module.getLoc())
                             << "'" << text << "' cannot be run at launch: ";
  if (pass.getArgument().empty())
    error << "it is not the name of a pass on the whole program";
  else
    error << "the pass '" << pass.getArgument() << "' is not one of those that may wait";
  error << "; these may: ";
  llvm::interleaveComma(ArrayRef<StringRef>(kMayWait), error);
  return error;
}

static LogicalResult addPass(ModuleOp module, StringRef text, OpPassManager &passes) {
  std::string problem;
  llvm::raw_string_ostream out(problem);
  OpPassManager parsed(ModuleOp::getOperationName());
  if (failed(parsePassPipeline(text, parsed, out)))
    return mlir::emitError(module.getLoc())
           << "'" << text << "' cannot be run at launch: " << StringRef(problem).trim();
  for (Pass &pass : parsed.getPasses())
    if (failed(verifyMayWait(module, text, pass)))
      return failure();
  return parsePassPipeline(text, passes, out);
}

LogicalResult tutti::specialize::takeAtLaunch(ModuleOp module, OpPassManager &passes) {
  for (Attribute text : waitingPasses(module))
    if (failed(addPass(module, cast<StringAttr>(text), passes)))
      return failure();
  module->removeAttr(TrainDialect::kAtLaunch);
  return success();
}

namespace {
struct AtLaunch : specialize::impl::AtLaunchPassBase<AtLaunch> {
  using AtLaunchPassBase::AtLaunchPassBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    SmallVector<Attribute> all = waitingPasses(getOperation());
    OpPassManager checked(ModuleOp::getOperationName());
    for (const std::string &text : passes) {
      if (failed(addPass(getOperation(), text, checked)))
        return signalPassFailure();
      all.push_back(builder.getStringAttr(text));
    }
    if (!all.empty())
      getOperation()->setAttr(TrainDialect::kAtLaunch, builder.getArrayAttr(all));
  }
};
} // namespace
