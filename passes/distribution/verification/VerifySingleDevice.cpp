// distribute-verify-single-device: what distribution may assume of its input.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/program/Program.h"
#include "passes/distribution/Passes.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_VERIFYSINGLEDEVICEPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;
using namespace tutti::program;

/// A sharded dataset is what distribution leaves in every program.
static LogicalResult verifyNotSharded(ModuleOp module) {
  for (auto dataset : module.getOps<train::DatasetOp>())
    if (dataset.getShard())
      return mlir::emitError(dataset.getLoc())
             << "the program is distributed already: @" << dataset.getSymName()
             << " is sharded; distribute the program as it was before";
  return success();
}

/// Operations that follow from the gradient, such as the backward pass of a normalization, must
/// exist.
static LogicalResult verifyNoGradient(ModuleOp module) {
  WalkResult result =
      module.walk([](train::GradientOp op) {
        mlir::emitError(op.getLoc())
            << "a gradient must be expanded before the program is distributed: run "
               "train-expand-gradients first";
        return WalkResult::interrupt();
      });
  return failure(result.wasInterrupted());
}

namespace {
struct VerifySingleDevice : distribution::impl::VerifySingleDevicePassBase<VerifySingleDevice> {
  using VerifySingleDevicePassBase::VerifySingleDevicePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(Program::find(module)) || failed(verifyNotSharded(module)) ||
        failed(verifyNoGradient(module)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
