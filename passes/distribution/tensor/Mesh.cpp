// distribute-mesh: neighbouring ranks share one model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/train/ProgramClaims.h"
#include "passes/distribution/Passes.h"

#include "dialects/collective/Collective.h"

#include "mlir/IR/Builders.h"

namespace tutti::distribution {
#define GEN_PASS_DEF_MESHPASS
#include "passes/distribution/Passes.h.inc"
} // namespace tutti::distribution

using namespace mlir;
using namespace tutti;
using namespace tutti::distribution;

namespace {
struct Mesh : distribution::impl::MeshPassBase<Mesh> {
  using MeshPassBase::MeshPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (groups < 0 || neighbours < 1) {
      mlir::emitError(module.getLoc())
          << "distribute-mesh needs groups=N, 0 or more, and neighbours=N, 1 or more";
      return signalPassFailure();
    }
    if (module->hasAttr(train::kTensorParts)) {
      mlir::emitError(module.getLoc()) << "the program is cut among neighbouring ranks already";
      return signalPassFailure();
    }
    module->setAttr(train::kMesh, DenseI64ArrayAttr::get(&getContext(), {groups, neighbours}));
  }
};
} // namespace
